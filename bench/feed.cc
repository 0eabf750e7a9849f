// A filter over a page of 1,000 items: text, nested messages, repeated fields, an enum, a oneof,
// look-ups in maps. The filter is written once; an adapter for each format says how a thing is
// read.
#include "bench.h"
#include "convert.h"
#include "feed_data.h"

#include <cstring>
#include <string_view>

#if BENCH_PROTOBUF_C
#include <feed.pb-c.h>
#endif
#if BENCH_PROTOBUF
#include <feed.pb.h>
#endif
#if BENCH_CAPNP
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <feed.capnp.h>
#endif

namespace {

constexpr size_t ITEMS = 1000;

template <class A> bool good_content(typename A::Item m)
{
    switch (A::content(m)) {
    case 10:
        return A::words(m) >= 100 && A::language(m) == "en";
    case 11:
        return A::seconds(m) <= 1800 && !A::live(m) && A::chapter(m, 0) < 500;
    case 12:
        return !A::blurhash(m).empty() && A::latitude(m) > -60000000;
    case 13:
        return A::link(m).size() > 30;
    default:
        return false;
    }
}

template <class A> uint64_t filter(typename A::Page page)
{
    uint64_t answer = 0;
    size_t count = A::items(page);
    for (size_t i = 0; i < count; i++) {
        typename A::Item m = A::item(page, i);
        if (A::score(m) < 0.3 || A::sponsored(m)) continue;
        if (A::feature(m, "ctr") < 0.2f) continue;
        typename A::Author author = A::author(m);
        if (!A::verified(author) && A::followers(author) < 1000) continue;
        if (A::reaction(m, 2) > 4000) continue;
        if (!good_content<A>(m)) continue;
        bool sport = false;
        size_t tags = A::tags(m);
        for (size_t t = 0; t < tags && !sport; t++) sport = A::tag(m, t) == "sport";
        if (!sport && A::kind(m) == 1) continue;
        answer += A::id(m) * 31 + A::title(m).size() + A::name(author).size();
        size_t related = A::related_size(m);
        for (size_t r = 0; r < related; r++) answer += A::related(m, r);
    }
    return answer;
}

std::string_view view(yaff_str s)
{
    return {s.data, s.size};
}

struct Yaff {
    using Page = const feed_Page *;
    using Item = const feed_Item *;
    using Author = const feed_Author *;
    static size_t items(Page p) { return feed_Page_items_size(p); }
    static Item item(Page p, size_t i) { return feed_Page_items_at(p, i); }
    static uint64_t id(Item m) { return feed_Item_id(m); }
    static std::string_view title(Item m) { return view(feed_Item_title(m)); }
    static double score(Item m) { return feed_Item_score(m); }
    static bool sponsored(Item m) { return feed_Item_sponsored(m); }
    static int kind(Item m) { return feed_Item_kind(m); }
    static float feature(Item m, const char *key)
    {
        return feed_Item_features_get(m, yaff_str_of(key));
    }
    static uint64_t reaction(Item m, uint32_t key) { return feed_Item_reactions_get(m, key); }
    static Author author(Item m) { return feed_Item_author(m); }
    static bool verified(Author a) { return feed_Author_verified(a); }
    static uint32_t followers(Author a) { return feed_Author_followers(a); }
    static std::string_view name(Author a) { return view(feed_Author_name(a)); }
    static size_t tags(Item m) { return feed_Item_tags_size(m); }
    static std::string_view tag(Item m, size_t i) { return view(feed_Item_tags_at(m, i)); }
    static size_t related_size(Item m) { return feed_Item_related_size(m); }
    static uint64_t related(Item m, size_t i) { return feed_Item_related_at(m, i); }
    static uint32_t content(Item m) { return feed_Item_content_case(m); }
    static uint32_t words(Item m) { return feed_Article_words(feed_Item_article(m)); }
    static std::string_view language(Item m)
    {
        return view(feed_Article_language(feed_Item_article(m)));
    }
    static uint32_t seconds(Item m) { return feed_Video_seconds(feed_Item_video(m)); }
    static bool live(Item m) { return feed_Video_live(feed_Item_video(m)); }
    static float chapter(Item m, size_t i) { return feed_Video_chapters_at(feed_Item_video(m), i); }
    static std::string_view blurhash(Item m)
    {
        return view(feed_Photo_blurhash(feed_Item_photo(m)));
    }
    static int32_t latitude(Item m) { return feed_Photo_latitude_e6(feed_Item_photo(m)); }
    static std::string_view link(Item m) { return view(feed_Item_link_url(m)); }
};

// What a C program would keep by hand: structs linked by pointers, maps as sorted arrays.
struct Raw {
    struct AuthorStruct {
        uint64_t id;
        std::string_view name;
        bool verified;
        uint32_t followers;
    };
    struct FeatureStruct {
        std::string_view key;
        float value;
    };
    struct ReactionStruct {
        uint32_t key;
        uint64_t value;
    };
    struct ItemStruct {
        uint64_t id;
        std::string_view title, summary, language, blurhash, link;
        const AuthorStruct *author;
        const std::string_view *tags;
        const FeatureStruct *features;
        const ReactionStruct *reactions;
        const uint64_t *related;
        const float *chapters;
        int64_t published_ms;
        double score;
        uint32_t tag_count, feature_count, reaction_count, related_count, chapter_count;
        uint32_t content, words, seconds;
        int32_t kind, latitude_e6, longitude_e6;
        bool sponsored, live;
    };
    struct PageStruct {
        std::vector<ItemStruct> items;
        std::vector<std::shared_ptr<void>> owners;
    };
    using Page = const PageStruct *;
    using Item = const ItemStruct *;
    using Author = const AuthorStruct *;
    static size_t items(Page p) { return p->items.size(); }
    static Item item(Page p, size_t i) { return &p->items[i]; }
    static uint64_t id(Item m) { return m->id; }
    static std::string_view title(Item m) { return m->title; }
    static double score(Item m) { return m->score; }
    static bool sponsored(Item m) { return m->sponsored; }
    static int kind(Item m) { return m->kind; }
    template <class Entry, class Key>
    static const Entry *find(const Entry *entries, size_t count, Key key)
    {
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (entries[middle].key < key)
                low = middle + 1;
            else
                high = middle;
        }
        return low < count && entries[low].key == key ? &entries[low] : nullptr;
    }
    static float feature(Item m, std::string_view key)
    {
        auto e = find(m->features, m->feature_count, key);
        return e ? e->value : 0;
    }
    static uint64_t reaction(Item m, uint32_t key)
    {
        auto e = find(m->reactions, m->reaction_count, key);
        return e ? e->value : 0;
    }
    static Author author(Item m) { return m->author; }
    static bool verified(Author a) { return a->verified; }
    static uint32_t followers(Author a) { return a->followers; }
    static std::string_view name(Author a) { return a->name; }
    static size_t tags(Item m) { return m->tag_count; }
    static std::string_view tag(Item m, size_t i) { return m->tags[i]; }
    static size_t related_size(Item m) { return m->related_count; }
    static uint64_t related(Item m, size_t i) { return m->related[i]; }
    static uint32_t content(Item m) { return m->content; }
    static uint32_t words(Item m) { return m->words; }
    static std::string_view language(Item m) { return m->language; }
    static uint32_t seconds(Item m) { return m->seconds; }
    static bool live(Item m) { return m->live; }
    static float chapter(Item m, size_t i) { return i < m->chapter_count ? m->chapters[i] : 0; }
    static std::string_view blurhash(Item m) { return m->blurhash; }
    static int32_t latitude(Item m) { return m->latitude_e6; }
    static std::string_view link(Item m) { return m->link; }
};

// The raw page's text and numbers stay in the yaff buffer; its structs are its own.
std::shared_ptr<Raw::PageStruct> to_raw(const feed_Page *from)
{
    auto page = std::make_shared<Raw::PageStruct>();
    for (size_t i = 0; i < Yaff::items(from); i++) {
        auto m = Yaff::item(from, i);
        auto author = std::make_shared<Raw::AuthorStruct>();
        auto tags = std::make_shared<std::vector<std::string_view>>();
        auto features = std::make_shared<std::vector<Raw::FeatureStruct>>();
        auto reactions = std::make_shared<std::vector<Raw::ReactionStruct>>();
        auto a = feed_Item_author(m);
        *author = {feed_Author_id(a), view(feed_Author_name(a)), feed_Author_verified(a),
                   feed_Author_followers(a)};
        for (size_t k = 0; k < Yaff::tags(m); k++) tags->push_back(Yaff::tag(m, k));
        for (size_t k = 0; k < feed_Item_features_size(m); k++) {
            auto e = feed_Item_features_at(m, k);
            features->push_back(
                {view(feed_Item_FeaturesEntry_key(e)), feed_Item_FeaturesEntry_value(e)});
        }
        for (size_t k = 0; k < feed_Item_reactions_size(m); k++) {
            auto e = feed_Item_reactions_at(m, k);
            reactions->push_back(
                {feed_Item_ReactionsEntry_key(e), feed_Item_ReactionsEntry_value(e)});
        }
        auto video = feed_Item_video(m);
        Raw::ItemStruct raw = {};
        raw.id = Yaff::id(m);
        raw.title = Yaff::title(m);
        raw.summary = view(feed_Item_summary(m));
        raw.language = Yaff::language(m);
        raw.blurhash = Yaff::blurhash(m);
        raw.link = Yaff::link(m);
        raw.author = author.get();
        raw.tags = tags->data();
        raw.features = features->data();
        raw.reactions = reactions->data();
        raw.related = feed_Item_related(m);
        raw.chapters = feed_Video_chapters(video);
        raw.published_ms = feed_Item_published_ms(m);
        raw.score = Yaff::score(m);
        raw.tag_count = static_cast<uint32_t>(tags->size());
        raw.feature_count = static_cast<uint32_t>(features->size());
        raw.reaction_count = static_cast<uint32_t>(reactions->size());
        raw.related_count = static_cast<uint32_t>(Yaff::related_size(m));
        raw.chapter_count = static_cast<uint32_t>(feed_Video_chapters_size(video));
        raw.content = Yaff::content(m);
        raw.words = Yaff::words(m);
        raw.seconds = Yaff::seconds(m);
        raw.kind = Yaff::kind(m);
        raw.latitude_e6 = Yaff::latitude(m);
        raw.longitude_e6 = feed_Photo_longitude_e6(feed_Item_photo(m));
        raw.sponsored = Yaff::sponsored(m);
        raw.live = Yaff::live(m);
        page->items.push_back(raw);
        page->owners.insert(page->owners.end(), {author, tags, features, reactions});
    }
    return page;
}

#if BENCH_FLATBUFFERS
std::string_view view(const flatbuffers::String *s)
{
    return s ? std::string_view(s->c_str(), s->size()) : std::string_view();
}

struct FlatBuffers {
    using Page = const fb::feed::Page *;
    using Item = const fb::feed::Item *;
    using Author = const fb::feed::Author *;
    static size_t items(Page p) { return p->items()->size(); }
    static Item item(Page p, size_t i) { return p->items()->Get(static_cast<uint32_t>(i)); }
    static uint64_t id(Item m) { return m->id(); }
    static std::string_view title(Item m) { return view(m->title()); }
    static double score(Item m) { return m->score(); }
    static bool sponsored(Item m) { return m->sponsored(); }
    static int kind(Item m) { return m->kind(); }
    static float feature(Item m, const char *key)
    {
        auto e = m->features()->LookupByKey(key);
        return e ? e->value() : 0;
    }
    static uint64_t reaction(Item m, uint32_t key)
    {
        auto e = m->reactions()->LookupByKey(key);
        return e ? e->value() : 0;
    }
    static Author author(Item m) { return m->author(); }
    static bool verified(Author a) { return a->verified(); }
    static uint32_t followers(Author a) { return a->followers(); }
    static std::string_view name(Author a) { return view(a->name()); }
    static size_t tags(Item m) { return m->tags()->size(); }
    static std::string_view tag(Item m, size_t i)
    {
        return view(m->tags()->Get(static_cast<uint32_t>(i)));
    }
    static size_t related_size(Item m) { return m->related()->size(); }
    static uint64_t related(Item m, size_t i)
    {
        return m->related()->Get(static_cast<uint32_t>(i));
    }
    static uint32_t content(Item m) { return m->content_type() ? 9u + m->content_type() : 0u; }
    static uint32_t words(Item m) { return m->content_as_Article()->words(); }
    static std::string_view language(Item m) { return view(m->content_as_Article()->language()); }
    static uint32_t seconds(Item m) { return m->content_as_Video()->seconds(); }
    static bool live(Item m) { return m->content_as_Video()->live(); }
    static float chapter(Item m, size_t i)
    {
        auto c = m->content_as_Video()->chapters();
        return i < c->size() ? c->Get(static_cast<uint32_t>(i)) : 0;
    }
    static std::string_view blurhash(Item m)
    {
        auto b = m->content_as_Photo()->blurhash();
        return {reinterpret_cast<const char *>(b->data()), b->size()};
    }
    static int32_t latitude(Item m) { return m->content_as_Photo()->latitude_e6(); }
    static std::string_view link(Item m) { return view(m->content_as_Link()->url()); }
};
#endif

#if BENCH_CAPNP
struct Capnp {
    using Page = cp::feed::Page::Reader;
    using Item = cp::feed::Item::Reader;
    using Author = cp::feed::Author::Reader;
    static std::string_view text(capnp::Text::Reader t) { return {t.begin(), t.size()}; }
    static size_t items(Page p) { return p.getItems().size(); }
    static Item item(Page p, size_t i) { return p.getItems()[static_cast<unsigned>(i)]; }
    static uint64_t id(Item m) { return m.getId(); }
    static std::string_view title(Item m) { return text(m.getTitle()); }
    static double score(Item m) { return m.getScore(); }
    static bool sponsored(Item m) { return m.getSponsored(); }
    static int kind(Item m) { return m.getKind(); }
    static float feature(Item m, std::string_view key)
    {
        auto list = m.getFeatures();
        unsigned low = 0, high = list.size();
        while (low < high) {
            unsigned middle = low + (high - low) / 2;
            if (text(list[middle].getKey()) < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == list.size()) return 0;
        auto e = list[low];
        return text(e.getKey()) == key ? e.getValue() : 0;
    }
    static uint64_t reaction(Item m, uint32_t key)
    {
        auto list = m.getReactions();
        unsigned low = 0, high = list.size();
        while (low < high) {
            unsigned middle = low + (high - low) / 2;
            if (list[middle].getKey() < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == list.size()) return 0;
        auto e = list[low];
        return e.getKey() == key ? e.getValue() : 0;
    }
    static Author author(Item m) { return m.getAuthor(); }
    static bool verified(Author a) { return a.getVerified(); }
    static uint32_t followers(Author a) { return a.getFollowers(); }
    static std::string_view name(Author a) { return text(a.getName()); }
    static size_t tags(Item m) { return m.getTags().size(); }
    static std::string_view tag(Item m, size_t i)
    {
        return text(m.getTags()[static_cast<unsigned>(i)]);
    }
    static size_t related_size(Item m) { return m.getRelated().size(); }
    static uint64_t related(Item m, size_t i) { return m.getRelated()[static_cast<unsigned>(i)]; }
    static uint32_t content(Item m)
    {
        auto which = static_cast<uint32_t>(m.getContent().which());
        return which ? 9 + which : 0;
    }
    static uint32_t words(Item m) { return m.getContent().getArticle().getWords(); }
    static std::string_view language(Item m)
    {
        return text(m.getContent().getArticle().getLanguage());
    }
    static uint32_t seconds(Item m) { return m.getContent().getVideo().getSeconds(); }
    static bool live(Item m) { return m.getContent().getVideo().getLive(); }
    static float chapter(Item m, size_t i)
    {
        auto list = m.getContent().getVideo().getChapters();
        return i < list.size() ? list[static_cast<unsigned>(i)] : 0;
    }
    static std::string_view blurhash(Item m)
    {
        auto d = m.getContent().getPhoto().getBlurhash();
        return {reinterpret_cast<const char *>(d.begin()), d.size()};
    }
    static int32_t latitude(Item m) { return m.getContent().getPhoto().getLatitudeE6(); }
    static std::string_view link(Item m) { return text(m.getContent().getLinkUrl()); }
};

bench::Buffer to_capnp(const feed_Page *from)
{
    auto text = [](yaff_str s) { return capnp::Text::Reader(s.data, s.size); };
    capnp::MallocMessageBuilder b(1 << 20);
    auto page = b.initRoot<cp::feed::Page>();
    page.setRequestId(text(feed_Page_request_id(from)));
    page.setNext(text(feed_Page_next(from)));
    auto items = page.initItems(static_cast<unsigned>(Yaff::items(from)));
    for (unsigned i = 0; i < items.size(); i++) {
        auto m = Yaff::item(from, i);
        auto to = items[i];
        to.setId(Yaff::id(m));
        to.setTitle(text(feed_Item_title(m)));
        to.setSummary(text(feed_Item_summary(m)));
        to.setKind(Yaff::kind(m));
        to.setPublishedMs(feed_Item_published_ms(m));
        to.setScore(Yaff::score(m));
        to.setSponsored(Yaff::sponsored(m));
        auto a = feed_Item_author(m);
        auto author = to.initAuthor();
        author.setId(feed_Author_id(a));
        author.setName(text(feed_Author_name(a)));
        author.setVerified(feed_Author_verified(a));
        author.setFollowers(feed_Author_followers(a));
        auto tags = to.initTags(static_cast<unsigned>(Yaff::tags(m)));
        for (unsigned k = 0; k < tags.size(); k++) tags.set(k, text(feed_Item_tags_at(m, k)));
        auto related = to.initRelated(static_cast<unsigned>(Yaff::related_size(m)));
        for (unsigned k = 0; k < related.size(); k++) related.set(k, Yaff::related(m, k));
        auto features = to.initFeatures(static_cast<unsigned>(feed_Item_features_size(m)));
        for (unsigned k = 0; k < features.size(); k++) {
            features[k].setKey(text(feed_Item_FeaturesEntry_key(feed_Item_features_at(m, k))));
            features[k].setValue(feed_Item_FeaturesEntry_value(feed_Item_features_at(m, k)));
        }
        auto reactions = to.initReactions(static_cast<unsigned>(feed_Item_reactions_size(m)));
        for (unsigned k = 0; k < reactions.size(); k++) {
            reactions[k].setKey(feed_Item_ReactionsEntry_key(feed_Item_reactions_at(m, k)));
            reactions[k].setValue(feed_Item_ReactionsEntry_value(feed_Item_reactions_at(m, k)));
        }
        auto content = to.getContent();
        if (Yaff::content(m) == 10) {
            auto c = content.initArticle();
            c.setWords(Yaff::words(m));
            c.setLanguage(text(feed_Article_language(feed_Item_article(m))));
        } else if (Yaff::content(m) == 11) {
            auto video = feed_Item_video(m);
            auto c = content.initVideo();
            c.setSeconds(Yaff::seconds(m));
            c.setLive(Yaff::live(m));
            auto chapters = c.initChapters(static_cast<unsigned>(feed_Video_chapters_size(video)));
            for (unsigned k = 0; k < chapters.size(); k++) chapters.set(k, Yaff::chapter(m, k));
        } else if (Yaff::content(m) == 12) {
            auto c = content.initPhoto();
            auto hash = Yaff::blurhash(m);
            c.setLatitudeE6(Yaff::latitude(m));
            c.setLongitudeE6(feed_Photo_longitude_e6(feed_Item_photo(m)));
            c.setBlurhash({reinterpret_cast<const kj::byte *>(hash.data()), hash.size()});
        } else if (Yaff::content(m) == 13) {
            content.setLinkUrl(text(feed_Item_link_url(m)));
        }
    }
    auto segments = b.getSegmentsForOutput();
    bench::expect(segments.size() == 1, "one segment");
    return bench::Buffer(segments[0].begin(), segments[0].asBytes().size());
}
#endif

#if BENCH_PROTOBUF_C
struct ProtobufC {
    using Page = const Feed__Page *;
    using Item = const Feed__Item *;
    using Author = const Feed__Author *;
    static size_t items(Page p) { return p->n_items; }
    static Item item(Page p, size_t i) { return p->items[i]; }
    static uint64_t id(Item m) { return m->id; }
    static std::string_view title(Item m) { return m->title; }
    static double score(Item m) { return m->score; }
    static bool sponsored(Item m) { return m->sponsored; }
    static int kind(Item m) { return m->kind; }
    static float feature(Item m, const char *key) // a map is a list in the order of the wire
    {
        for (size_t i = 0; i < m->n_features; i++)
            if (std::strcmp(m->features[i]->key, key) == 0) return m->features[i]->value;
        return 0;
    }
    static uint64_t reaction(Item m, uint32_t key)
    {
        for (size_t i = 0; i < m->n_reactions; i++)
            if (m->reactions[i]->key == key) return m->reactions[i]->value;
        return 0;
    }
    static Author author(Item m) { return m->author; }
    static bool verified(Author a) { return a->verified; }
    static uint32_t followers(Author a) { return a->followers; }
    static std::string_view name(Author a) { return a->name; }
    static size_t tags(Item m) { return m->n_tags; }
    static std::string_view tag(Item m, size_t i) { return m->tags[i]; }
    static size_t related_size(Item m) { return m->n_related; }
    static uint64_t related(Item m, size_t i) { return m->related[i]; }
    static uint32_t content(Item m) { return m->content_case; }
    static uint32_t words(Item m) { return m->article->words; }
    static std::string_view language(Item m) { return m->article->language; }
    static uint32_t seconds(Item m) { return m->video->seconds; }
    static bool live(Item m) { return m->video->live; }
    static float chapter(Item m, size_t i)
    {
        return i < m->video->n_chapters ? m->video->chapters[i] : 0;
    }
    static std::string_view blurhash(Item m)
    {
        return {reinterpret_cast<const char *>(m->photo->blurhash.data), m->photo->blurhash.len};
    }
    static int32_t latitude(Item m) { return m->photo->latitude_e6; }
    static std::string_view link(Item m) { return m->link_url; }
};
#endif

#if BENCH_PROTOBUF
struct Protobuf {
    using Page = const feed::Page *;
    using Item = const feed::Item *;
    using Author = const feed::Author *;
    static size_t items(Page p) { return static_cast<size_t>(p->items_size()); }
    static Item item(Page p, size_t i) { return &p->items(static_cast<int>(i)); }
    static uint64_t id(Item m) { return m->id(); }
    static std::string_view title(Item m) { return m->title(); }
    static double score(Item m) { return m->score(); }
    static bool sponsored(Item m) { return m->sponsored(); }
    static int kind(Item m) { return m->kind(); }
    static float feature(Item m, const char *key)
    {
        auto e = m->features().find(key);
        return e == m->features().end() ? 0 : e->second;
    }
    static uint64_t reaction(Item m, uint32_t key)
    {
        auto e = m->reactions().find(key);
        return e == m->reactions().end() ? 0 : e->second;
    }
    static Author author(Item m) { return &m->author(); }
    static bool verified(Author a) { return a->verified(); }
    static uint32_t followers(Author a) { return a->followers(); }
    static std::string_view name(Author a) { return a->name(); }
    static size_t tags(Item m) { return static_cast<size_t>(m->tags_size()); }
    static std::string_view tag(Item m, size_t i) { return m->tags(static_cast<int>(i)); }
    static size_t related_size(Item m) { return static_cast<size_t>(m->related_size()); }
    static uint64_t related(Item m, size_t i) { return m->related(static_cast<int>(i)); }
    static uint32_t content(Item m) { return static_cast<uint32_t>(m->content_case()); }
    static uint32_t words(Item m) { return m->article().words(); }
    static std::string_view language(Item m) { return m->article().language(); }
    static uint32_t seconds(Item m) { return m->video().seconds(); }
    static bool live(Item m) { return m->video().live(); }
    static float chapter(Item m, size_t i)
    {
        return static_cast<int>(i) < m->video().chapters_size()
                   ? m->video().chapters(static_cast<int>(i))
                   : 0;
    }
    static std::string_view blurhash(Item m) { return m->photo().blurhash(); }
    static int32_t latitude(Item m) { return m->photo().latitude_e6(); }
    static std::string_view link(Item m) { return m->link_url(); }
};
#endif

// A case in which open(*owner) gives the page each time.
template <class Adapter, class Owner, class Open>
void add(bench::Group &g, const char *name, Owner owner, Open open)
{
    g.add(name, [=](uint64_t n) {
        uint64_t answer = 0;
        for (uint64_t i = 0; i < n; i += ITEMS) answer += filter<Adapter>(open(*owner));
        return answer;
    });
}

void setup(bench::Group &g)
{
    std::string wire = feed_data::page(1, ITEMS);
    g.unit = "item";
    g.rotation = ITEMS;
    g.note = "A filter over a page of 1,000 items.";

    bench::Converter converter;
    converter.convert(feed_Page_yaff_type, wire);
    auto yaff = std::make_shared<bench::Buffer>(converter);
    const feed_Page *page = feed_Page_view(yaff->data());

    auto raw = to_raw(page);
    raw->owners.push_back(yaff); // its text
    add<Raw>(g, "raw structs linked by pointers", raw, [](const Raw::PageStruct &p) { return &p; });
    add<Yaff>(g, "yaff Dynamic", yaff,
              [](const bench::Buffer &b) { return feed_Page_view(b.data()); });
#if BENCH_FLATBUFFERS
    auto fb = std::make_shared<bench::Buffer>(feed_data::to_flatbuffer(page));
    add<FlatBuffers>(g, "FlatBuffers", fb,
                     [](const bench::Buffer &b) { return fb::feed::GetPage(b.data()); });
#endif
#if BENCH_CAPNP
    auto cp = std::make_shared<bench::Buffer>(to_capnp(page));
    add<Capnp>(g, "Cap'n Proto, unchecked", cp, [](const bench::Buffer &b) {
        return capnp::readMessageUnchecked<cp::feed::Page>(
            reinterpret_cast<const capnp::word *>(b.data()));
    });
#endif
#if BENCH_PROTOBUF_C
    auto pbc = std::shared_ptr<Feed__Page>(
        feed__page__unpack(nullptr, wire.size(), reinterpret_cast<const uint8_t *>(wire.data())),
        [](Feed__Page *p) { feed__page__free_unpacked(p, nullptr); });
    add<ProtobufC>(g, "protobuf-c, unpacked", pbc, [](const Feed__Page &p) { return &p; });
#endif
#if BENCH_PROTOBUF
    auto pb = std::make_shared<feed::Page>();
    bench::expect(pb->ParseFromString(wire), "parsing");
    add<Protobuf>(g, "protobuf C++, parsed", pb, [](const feed::Page &p) { return &p; });
#endif
}

bool declared = bench::declare("read/feed", setup);

} // namespace
