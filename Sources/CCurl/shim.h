// libcurl's calls that take a variable number of arguments, which Swift cannot call.
#include <curl/curl.h>

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
