// Pages of feed.proto as wire bytes, and the same as FlatBuffers.
#ifndef YAFF_BENCH_FEED_DATA_H
#define YAFF_BENCH_FEED_DATA_H

#include "bench.h"
#include "convert.h"

#include <feed.yaff.h>

#if BENCH_FLATBUFFERS
#include <feed_generated.h>
#endif

namespace feed_data {

inline const char *const tags[] = {"sport", "news",    "science", "music",
                                   "local", "weather", "travel"};
inline const char *const features[] = {"age", "ctr", "dwell", "fresh", "quality", "reach"};

inline bench::Wire item(bench::Random &r, uint64_t id)
{
    bench::Wire w, author, content;
    w.u64(1, id);
    w.str(2, r.text(20, 60));
    w.str(3, r.text(40, 160));
    author.u64(1, r.number() | 1);
    author.str(2, r.text(5, 20));
    if (r.chance(40)) author.u64(3, 1);
    author.u64(4, r.between(1, 2000));
    w.message(4, author);
    for (uint64_t i = r.below(5); i > 0; i--) w.str(5, tags[r.below(7)]);
    unsigned kind = static_cast<unsigned>(r.below(4));
    if (kind) w.u64(6, kind);
    w.u64(7, 1700000000000 + r.below(1000000000));
    w.fixed(8, r.real());
    for (const char *key : features) {
        if (!r.chance(70)) continue;
        bench::Wire entry;
        entry.str(1, key);
        entry.fixed(2, static_cast<float>(r.real()));
        w.message(9, entry);
    }
    if (kind == 1) {
        content.u64(1, r.between(50, 3000));
        content.str(2, r.chance(70) ? "en" : "fr");
        w.message(10, content);
    } else if (kind == 2) {
        content.u64(1, r.between(10, 3600));
        bench::Wire packed;
        for (uint64_t i = r.between(1, 6); i > 0; i--)
            packed.raw(static_cast<float>(r.real() * 600));
        content.str(2, packed.bytes);
        if (r.chance(20)) content.u64(3, 1);
        w.message(11, content);
    } else if (kind == 3) {
        content.s64(1, static_cast<int64_t>(r.below(180000000)) - 90000000);
        content.s64(2, static_cast<int64_t>(r.below(360000000)) - 180000000);
        content.str(3, r.data(16));
        w.message(12, content);
    } else {
        w.str(13, "https://example.org/" + r.text(8, 30));
    }
    bench::Wire related;
    for (uint64_t i = r.below(8); i > 0; i--) related.varint(r.below(1000000));
    if (!related.bytes.empty()) w.str(14, related.bytes);
    if (r.chance(10)) w.u64(15, 1);
    for (uint32_t code = 1; code <= 5; code++) {
        if (!r.chance(60)) continue;
        bench::Wire entry;
        entry.u64(1, code);
        entry.u64(2, r.between(1, 5000));
        w.message(16, entry);
    }
    return w;
}

inline std::string page(uint64_t seed, size_t items)
{
    bench::Random r(seed);
    bench::Wire w;
    w.str(1, r.word(16));
    for (size_t i = 0; i < items; i++) w.message(2, item(r, i + 1));
    w.str(3, r.word(24));
    return w.bytes;
}

#if BENCH_FLATBUFFERS
inline flatbuffers::Offset<fb::feed::Item> to_flatbuffer(flatbuffers::FlatBufferBuilder &b,
                                                         const feed_Item *from)
{
    namespace f = fb::feed;
    auto text = [&](yaff_str s) {
        return s.size ? b.CreateString(s.data, s.size) : flatbuffers::Offset<flatbuffers::String>();
    };
    const feed_Author *a = feed_Item_author(from);
    auto author = f::CreateAuthor(b, feed_Author_id(a), text(feed_Author_name(a)),
                                  feed_Author_verified(a), feed_Author_followers(a));
    std::vector<flatbuffers::Offset<flatbuffers::String>> tag_list;
    for (size_t i = 0; i < feed_Item_tags_size(from); i++)
        tag_list.push_back(text(feed_Item_tags_at(from, i)));
    std::vector<flatbuffers::Offset<f::Feature>> feature_list;
    for (size_t i = 0; i < feed_Item_features_size(from); i++) {
        auto e = feed_Item_features_at(from, i);
        feature_list.push_back(f::CreateFeature(b, text(feed_Item_FeaturesEntry_key(e)),
                                                feed_Item_FeaturesEntry_value(e)));
    }
    std::vector<f::Reaction> reaction_list;
    for (size_t i = 0; i < feed_Item_reactions_size(from); i++) {
        auto e = feed_Item_reactions_at(from, i);
        reaction_list.emplace_back(feed_Item_ReactionsEntry_key(e),
                                   feed_Item_ReactionsEntry_value(e));
    }
    f::Content type = f::Content_NONE;
    flatbuffers::Offset<void> content;
    switch (feed_Item_content_case(from)) {
    case feed_Item_content_case_article: {
        auto c = feed_Item_article(from);
        type = f::Content_Article;
        content =
            f::CreateArticle(b, feed_Article_words(c), text(feed_Article_language(c))).Union();
        break;
    }
    case feed_Item_content_case_video: {
        auto c = feed_Item_video(from);
        type = f::Content_Video;
        auto chapters = b.CreateVector(feed_Video_chapters(c), feed_Video_chapters_size(c));
        content = f::CreateVideo(b, feed_Video_seconds(c), chapters, feed_Video_live(c)).Union();
        break;
    }
    case feed_Item_content_case_photo: {
        auto c = feed_Item_photo(from);
        type = f::Content_Photo;
        yaff_str hash = feed_Photo_blurhash(c);
        auto bytes = b.CreateVector(reinterpret_cast<const uint8_t *>(hash.data), hash.size);
        content =
            f::CreatePhoto(b, feed_Photo_latitude_e6(c), feed_Photo_longitude_e6(c), bytes).Union();
        break;
    }
    case feed_Item_content_case_link_url:
        type = f::Content_Link;
        content = f::CreateLink(b, text(feed_Item_link_url(from))).Union();
        break;
    }
    auto title = text(feed_Item_title(from)), summary = text(feed_Item_summary(from));
    auto tag_vector = b.CreateVector(tag_list);
    auto feature_vector = b.CreateVectorOfSortedTables(&feature_list);
    auto related = b.CreateVector(feed_Item_related(from), feed_Item_related_size(from));
    auto reactions = b.CreateVectorOfSortedStructs(&reaction_list);
    return f::CreateItem(b, feed_Item_id(from), title, summary, author, tag_vector,
                         feed_Item_kind(from), feed_Item_published_ms(from), feed_Item_score(from),
                         feature_vector, type, content, related, feed_Item_sponsored(from),
                         reactions);
}

inline bench::Buffer to_flatbuffer(const feed_Page *from)
{
    flatbuffers::FlatBufferBuilder b;
    std::vector<flatbuffers::Offset<fb::feed::Item>> items;
    for (size_t i = 0; i < feed_Page_items_size(from); i++)
        items.push_back(to_flatbuffer(b, feed_Page_items_at(from, i)));
    yaff_str id = feed_Page_request_id(from), next = feed_Page_next(from);
    auto id_text = b.CreateString(id.data, id.size),
         next_text = b.CreateString(next.data, next.size);
    b.Finish(fb::feed::CreatePage(b, id_text, b.CreateVector(items), next_text));
    return bench::Buffer(b.GetBufferPointer(), b.GetSize());
}
#endif

} // namespace feed_data

#endif
