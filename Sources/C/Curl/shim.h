// libcurl's calls that take a variable number of arguments, which Swift cannot call.
#include <curl/curl.h>
#include <stdint.h>
#include <sys/socket.h>

static inline CURLcode ccurl_set_long(CURL *transfer, CURLoption option, long value)
{
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode ccurl_set_large(CURL *transfer, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(transfer, option, value);
}

/// For texts, which libcurl copies, and lists and pointers, which it does not.
static inline CURLcode ccurl_set_pointer(CURL *transfer, CURLoption option, const void *value)
{
    return curl_easy_setopt(transfer, option, value);
}

typedef size_t (*ccurl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_callback(CURL *transfer, CURLoption option, ccurl_callback value)
{
    return curl_easy_setopt(transfer, option, value);
}

typedef int (*ccurl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode ccurl_set_seek(CURL *transfer, ccurl_seek value)
{
    return curl_easy_setopt(transfer, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *transfers, CURLMoption option, long value)
{
    return curl_multi_setopt(transfers, option, value);
}

static inline long ccurl_get_long(CURL *transfer, CURLINFO info)
{
    long value = 0;
    curl_easy_getinfo(transfer, info, &value);
    return value;
}

static inline const char *ccurl_get_text(CURL *transfer, CURLINFO info)
{
    const char *value = NULL;
    curl_easy_getinfo(transfer, info, &value);
    return value;
}

/// The result of a message, which is in a union.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline int ccurl_limit_receive_buffer(void *size, curl_socket_t connection,
                                             curlsocktype purpose)
{
    int bytes = (int)(intptr_t)size;
    (void)purpose;
    // A buffer of another size is no reason to do without the connection.
    setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    return CURL_SOCKOPT_OK;
}

/// Limits what the kernel keeps of what is received and not read yet; without it, megabytes.
static inline void ccurl_set_receive_buffer(CURL *transfer, long bytes)
{
    curl_easy_setopt(transfer, CURLOPT_SOCKOPTFUNCTION, ccurl_limit_receive_buffer);
    curl_easy_setopt(transfer, CURLOPT_SOCKOPTDATA, (void *)(intptr_t)bytes);
}
