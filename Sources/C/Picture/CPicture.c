#include "CPicture.h"

#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// More scans than this are no picture, but a way to keep a processor busy.
enum { most_scans = 64 };

// The sums of the pixels that become one, for a row.
typedef struct {
    cpicture *picture;
    unsigned width, height;
    uint32_t *sums, *counts;
    unsigned row;
} scaler;

static unsigned at_least_one(unsigned number) { return number ? number : 1; }

static int begin(
    scaler *scaler, cpicture *picture, unsigned width, unsigned height, unsigned box_width,
    unsigned box_height) {
    picture->width = width;
    picture->height = height;
    if (width > box_width || height > box_height) {
        if ((uint64_t)width * box_height > (uint64_t)height * box_width) {
            picture->width = box_width;
            picture->height = at_least_one((uint64_t)height * box_width / width);
        } else {
            picture->height = box_height;
            picture->width = at_least_one((uint64_t)width * box_height / height);
        }
    }
    scaler->picture = picture;
    scaler->width = width;
    scaler->height = height;
    scaler->row = 0;
    picture->pixels = calloc((size_t)picture->width * picture->height, 3);
    scaler->sums = calloc((size_t)picture->width * 3, sizeof *scaler->sums);
    scaler->counts = calloc(picture->width, sizeof *scaler->counts);
    return picture->pixels && scaler->sums && scaler->counts;
}

static void end(scaler *scaler) {
    free(scaler->sums);
    free(scaler->counts);
}

static void take(scaler *scaler, const unsigned char *pixels) {
    const cpicture *picture = scaler->picture;
    for (unsigned column = 0; column < scaler->width; column++) {
        const unsigned to = (uint64_t)column * picture->width / scaler->width;
        for (int color = 0; color < 3; color++)
            scaler->sums[to * 3 + color] += pixels[column * 3 + color];
        scaler->counts[to]++;
    }
    const unsigned to = (uint64_t)scaler->row * picture->height / scaler->height;
    scaler->row++;
    if (scaler->row < scaler->height
        && (uint64_t)scaler->row * picture->height / scaler->height == to)
        return;
    unsigned char *out = picture->pixels + (size_t)to * picture->width * 3;
    for (unsigned index = 0; index < picture->width * 3; index++)
        out[index] = scaler->sums[index] / at_least_one(scaler->counts[index / 3]);
    memset(scaler->sums, 0, picture->width * 3 * sizeof *scaler->sums);
    memset(scaler->counts, 0, picture->width * sizeof *scaler->counts);
}

// Allocated, since automatic variables are lost by a jump.
typedef struct {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct info;
    struct jpeg_progress_mgr progress;
    scaler scaler;
    unsigned char *line;
    int is_done;
    jmp_buf failed;
} jpeg_job;

static void jpeg_fail(j_common_ptr info) { longjmp(((jpeg_job *)info->err)->failed, 1); }

// The library makes up what is missing, with a warning; other warnings do not matter.
static void jpeg_warn(j_common_ptr info, int level) {
    const int code = info->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) jpeg_fail(info);
}

static void jpeg_progress(j_common_ptr info) {
    if (((j_decompress_ptr)info)->input_scan_number > most_scans) jpeg_fail(info);
}

static void read_jpeg(
    jpeg_job *job, const unsigned char *bytes, size_t count, unsigned width, unsigned height,
    size_t limit, cpicture *picture) {
    j_decompress_ptr info = &job->info;
    jpeg_create_decompress(info);
    job->progress.progress_monitor = jpeg_progress;
    info->progress = &job->progress;
    jpeg_mem_src(info, bytes, count);
    jpeg_read_header(info, TRUE);
    if ((size_t)info->image_width * info->image_height > limit) return;
    info->out_color_space = JCS_RGB;
    // The library makes it smaller for less than it costs to decode.
    info->scale_num = info->scale_denom = 8;
    while (info->scale_num > 1
           && (info->image_width * (info->scale_num / 2) / 8 >= width
               || info->image_height * (info->scale_num / 2) / 8 >= height))
        info->scale_num /= 2;
    jpeg_start_decompress(info);
    if (!begin(&job->scaler, picture, info->output_width, info->output_height, width, height))
        return;
    job->line = malloc((size_t)info->output_width * 3);
    if (!job->line) return;
    while (info->output_scanline < info->output_height) {
        if (jpeg_read_scanlines(info, &job->line, 1) != 1) return;
        take(&job->scaler, job->line);
    }
    jpeg_finish_decompress(info);
    job->is_done = 1;
}

static int decode_jpeg(
    const unsigned char *bytes, size_t count, unsigned width, unsigned height, size_t limit,
    cpicture *picture) {
    jpeg_job *const job = calloc(1, sizeof *job);
    if (!job) return 0;
    job->info.err = jpeg_std_error(&job->errors);
    job->errors.error_exit = jpeg_fail;
    job->errors.emit_message = jpeg_warn;
    if (!setjmp(job->failed)) read_jpeg(job, bytes, count, width, height, limit, picture);
    const int is_done = job->is_done;
    jpeg_destroy_decompress(&job->info);
    free(job->line);
    end(&job->scaler);
    free(job);
    return is_done;
}

static int decode_png(
    const unsigned char *bytes, size_t count, unsigned width, unsigned height, size_t limit,
    cpicture *picture) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    const png_color black = {0, 0, 0};
    scaler scaler = {0};
    unsigned char *pixels = NULL;
    int is_done = 0;

    if (!png_image_begin_read_from_memory(&image, bytes, count)) goto end;
    if ((size_t)image.width * image.height > limit) goto end;
    image.format = PNG_FORMAT_RGB;
    pixels = malloc(PNG_IMAGE_SIZE(image));
    if (!pixels || !png_image_finish_read(&image, &black, pixels, 0, NULL)) goto end;
    if (!begin(&scaler, picture, image.width, image.height, width, height)) goto end;
    for (unsigned row = 0; row < image.height; row++)
        take(&scaler, pixels + (size_t)row * image.width * 3);
    is_done = 1;

end:
    png_image_free(&image);
    free(pixels);
    end(&scaler);
    return is_done;
}

int cpicture_decode(
    const unsigned char *bytes, size_t count, unsigned width, unsigned height, size_t limit,
    cpicture *picture) {
    static const unsigned char jpeg[] = {0xFF, 0xD8}, png[] = {0x89, 'P', 'N', 'G'};
    int is_done = 0;

    memset(picture, 0, sizeof *picture);
    if (!width || !height) return 0;
    if (count > sizeof jpeg && !memcmp(bytes, jpeg, sizeof jpeg))
        is_done = decode_jpeg(bytes, count, width, height, limit, picture);
    else if (count > sizeof png && !memcmp(bytes, png, sizeof png))
        is_done = decode_png(bytes, count, width, height, limit, picture);
    if (!is_done) {
        free(picture->pixels);
        picture->pixels = NULL;
    }
    return is_done;
}
