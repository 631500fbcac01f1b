// Traces: what threads note at once, and how it is written.
#include "support/files/trace_file.h"
#include "support/text/json.h"
#include "support/trace.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace treadle {
namespace {

std::atomic<uint64_t> room{Trace::defaultRoom};

TraceEvent event(uint64_t begin, uint64_t end, std::string_view name) {
  TraceEvent made;
  made.kind = TraceKind::Fill;
  made.begin = begin;
  made.end = end;
  made.name = name;
  return made;
}

std::string written(const TraceRecording &recording) {
  std::string text;
  writeTrace(recording, {}, [&text](std::string_view piece) { text += piece; });
  return text;
}

TEST(Trace, KeepsTheEventsOfAThreadInTheirOrder) {
  TraceThread thread;
  const std::string longName(3000, 'x');
  for (uint64_t i = 0; i < 500; ++i)
    EXPECT_TRUE(thread.add(event(i, i + 1, i % 2 ? longName : std::to_string(i)), room));
  const std::vector<TraceEvent> events = thread.events();
  ASSERT_EQ(events.size(), 500u);
  for (uint64_t i = 0; i < 500; ++i) {
    EXPECT_EQ(events[i].begin, i);
    EXPECT_EQ(events[i].name, i % 2 ? longName : std::to_string(i));
  }
}

TEST(Trace, CutsTextsThatAreTooLongForAChunk) {
  TraceThread thread;
  const std::string huge(1 << 20, 'y');
  TraceEvent both = event(1, 2, huge);
  both.detail = huge;
  EXPECT_TRUE(thread.add(both, room));
  EXPECT_EQ(thread.events()[0].name, huge.substr(0, 4096));
  EXPECT_EQ(thread.events()[0].detail, ""); // a part of it would be no JSON
}

TEST(Trace, EndsWithAllThatThreadsHaveNoted) {
  constexpr int threads = 4, each = 2000, rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(Trace::start());
    EXPECT_FALSE(Trace::start());
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i)
      running.emplace_back([] {
        for (int j = 0; j < each; ++j)
          const TraceSpan span(TraceKind::Fill, "a");
      });
    for (std::thread &one : running)
      one.join();
    const std::optional<TraceRecording> recording = Trace::stop();
    ASSERT_TRUE(recording);
    size_t count = 0;
    for (const auto &one : recording->threads)
      count += one->events().size();
    EXPECT_EQ(count, size_t(threads) * each);
    EXPECT_FALSE(Trace::stop());
  }
}

TEST(Trace, LeavesOutWhatThereIsNoRoomFor) {
  constexpr uint64_t little = uint64_t(128) << 10; // two chunks, for two of the threads
  ASSERT_TRUE(Trace::start(little));
  for (int i = 0; i < 3; ++i)
    std::thread([] {
      for (int j = 0; j < 10'000; ++j)
        const TraceSpan span(TraceKind::Fill, "a");
    }).join();
  const std::optional<TraceRecording> recording = Trace::stop();
  ASSERT_TRUE(recording);
  size_t count = 0;
  for (const auto &one : recording->threads)
    count += one->events().size();
  EXPECT_GT(count, 100u);
  EXPECT_LT(count * sizeof(TraceEvent), little);
  EXPECT_EQ(recording->dropped, 30'000 - count);
  EXPECT_GT(recording->firstDropped, recording->begin);
  EXPECT_LT(recording->firstDropped, recording->end);
  EXPECT_NE(written(*recording).find("\"name\":\"the recording is full: " + std::to_string(recording->dropped)),
            std::string::npos);
  ASSERT_TRUE(Trace::start());
  Trace::note(event(1, 2, "as ever"));
  EXPECT_EQ(Trace::stop()->dropped, 0u);
}

TEST(Trace, EndsWhileThreadsGoOn) {
  std::atomic<bool> isOver{false};
  std::vector<std::thread> running;
  for (int i = 0; i < 3; ++i)
    running.emplace_back([&isOver] {
      while (!isOver)
        const TraceSpan span(TraceKind::Fill, "some name");
    });
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(Trace::start());
    const std::optional<TraceRecording> recording = Trace::stop();
    for (const auto &one : recording->threads)
      for (const TraceEvent &found : one->events())
        ASSERT_EQ(found.name, "some name");
  }
  isOver = true;
  for (std::thread &one : running)
    one.join();
}

TEST(Trace, WithoutARecordingNothingIsNoted) {
  {
    TraceSpan span(TraceKind::Fill, "before");
    EXPECT_FALSE(span.event);
    ASSERT_TRUE(Trace::start());
  }
  EXPECT_TRUE(Trace::stop()->threads.empty());
  Trace::note(event(1, 2, "late"));
  ASSERT_TRUE(Trace::start());
  EXPECT_TRUE(Trace::stop()->threads.empty());
}

TEST(Trace, OfASpanFromAnEarlierRecordingTheRestIsShown) {
  TraceRecording recording;
  recording.begin = 1000;
  recording.threads.push_back(std::make_unique<TraceThread>());
  ASSERT_TRUE(recording.threads[0]->add(event(800, 1500, "earlier"), room));
  ASSERT_TRUE(recording.threads[0]->add(event(1600, 1700, "next"), room));
  const std::string text = written(recording);
  EXPECT_NE(text.find("{\"ts\":0.000,\"dur\":0.500,"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"ts\":0.600,\"dur\":0.100,"), std::string::npos) << text;
}

TEST(Trace, RunsBeginBehindTheirCallsAndEachOther) {
  TraceRecording recording;
  recording.begin = 1000;
  recording.threads.push_back(std::make_unique<TraceThread>());
  int device = 0;
  auto add = [&](TraceKind kind, uint64_t work, uint64_t begin, uint64_t end) {
    TraceEvent one = event(begin, end, kind == TraceKind::Run ? "ran" : "asked");
    one.kind = kind;
    one.work = work;
    one.track = {&device, 1};
    recording.threads[0]->add(one, room);
  };
  add(TraceKind::Launch, 1, 5000, 5500);
  add(TraceKind::Run, 1, 4000, 8000); // before it was asked for
  add(TraceKind::Launch, 2, 5600, 5700);
  add(TraceKind::Run, 2, 7990, 9000); // before the first one had ended
  const std::string text = written(recording);
  EXPECT_NE(text.find(R"({"ts":4.000,"dur":3.000,"ph":"X","pid":2,"tid":1,"cat":"run","name":"ran")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"ts":7.000,"dur":1.000,"ph":"X","pid":2)"), std::string::npos) << text;
}

TEST(Trace, SpansComeBeforeWhatBeginsWithThem) {
  TraceRecording recording;
  recording.threads.push_back(std::make_unique<TraceThread>());
  recording.threads[0]->add(event(10, 20, "inner"), room);
  recording.threads[0]->add(event(10, 30, "outer"), room);
  const std::string text = written(recording);
  EXPECT_LT(text.find("outer"), text.find("inner"));
}

TEST(Json, QuotesText) {
  EXPECT_EQ(jsonText("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(jsonText("größe \xF0\x9F\x98\x80"), "\"größe \xF0\x9F\x98\x80\"");
  for (const char *wrong : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\xf4\x90\x80\x80", "\x80"})
    EXPECT_NE(jsonText(wrong).find("\\ufffd"), std::string::npos);
  EXPECT_EQ(jsonText("\xe2\x82x"), "\"\\ufffd\\ufffdx\"");
}

} // namespace
} // namespace treadle
