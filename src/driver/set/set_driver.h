#pragma once
// The device sets of a platform as devices: a driver on top of the platform's own. Its device
// numbers are those of sets (Device::kFirstSet and more), also where it tells of memory; streams
// are composites (driver/set/set_stream.h), events are the platform's, of the first member.
//
// Memory of a set is one range of addresses, which lies on the members as core/placement.h says.
// Work is divided where the memory lies: large copies, fills, and launches of plans, by blocks that
// are the same for any number of members, so that the bits are those of one device. What cannot be
// divided, and what is small, runs on the first member.

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/placement.h"
#include "driver/driver.h"
#include "driver/set/matrix_range.h"
#include "driver/set/set_division.h"
#include "driver/set/set_memory.h"
#include "driver/set/set_stream.h"

namespace cupola {

class PeerStaging;

class SetDriver final : public Driver {
 public:
  explicit SetDriver(Driver& platform);

  PlatformKind platform() const override { return platform_.platform(); }
  int device_count() override { return platform_.device_count(); }
  // "2 x NAME"; sums, and lists of the members' identities.
  DeviceProperties properties(int set) override;
  MemoryInfo memory_info(int set) override;
  // Of the first member.
  std::vector<std::pair<std::string, int>> attributes(int set) override;
  // Every member reaches every one of `peer`, which may be a device.
  bool can_access_peer(int set, int peer) override;
  int driver_version() override { return platform_.driver_version(); }
  int runtime_version() override { return platform_.runtime_version(); }
  bool is_initialized() override { return platform_.is_initialized(); }
  // Of any member; faults likewise.
  bool has_context(int set) override;
  std::exception_ptr fault(int set) override;
  void clear_fault(int set) override;

  // Device memory: placed by what the members have free, small blocks on the first of them. Other
  // memory is the first member's. Throws PeerAccessError as connect().
  void* allocate(int set, std::size_t bytes, MemoryKind kind) override;
  void deallocate(int set, void* pointer, std::size_t bytes, MemoryKind kind) noexcept override;
  // Of the first member, whom other members' kernels do not reach there.
  void* allocate_async(std::size_t bytes, StreamHandle stream) override;
  void deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept override;
  void trim_async(int set) override;
  void pin_host(int set, void* pointer, std::size_t bytes) override;
  void unpin_host(void* pointer) noexcept override { platform_.unpin_host(pointer); }
  PointerInfo describe(const void* pointer) override;
  void advise(void* pointer, std::size_t bytes, MemoryAdvice advice, int device) override;
  void prefetch(void* pointer, std::size_t bytes, int device, StreamHandle stream) override;

  // -- Of sets only
  // As allocate(), by another rule; deallocate() takes it back. Throws ValueError as place().
  void* allocate_placed(int set, std::size_t bytes, const PlacementRule& rule);
  // What allocate_placed() would do now.
  Placement plan(int set, std::size_t bytes, const PlacementRule& rule);
  std::vector<StripedPart> plan_parts(int set, std::size_t bytes, const PlacementRule& rule);
  // What an allocation that begins there is made of; nothing for other memory.
  std::vector<StripedPart> parts_of(const void* pointer) const;
  // Where [pointer, pointer + bytes) lies; nothing for memory that is no set's.
  std::vector<Piece> pieces(const void* pointer, std::size_t bytes) const;
  // What launch() would have run by whom; places among the members.
  std::vector<MemberWork> who_runs(const Kernel& kernel, const LaunchArguments& arguments, int set);
  // How much of the calling thread's work so far was large enough to divide, and was not.
  static std::uint64_t gathered_by_thread();
  // Allocations and work of fewer bytes are not divided: CUPOLA_STRIPE_THRESHOLD.
  std::size_t threshold(int set);

  std::pair<int, int> stream_priorities(int set) override {
    return platform_.stream_priorities(members(set).front());
  }
  using Driver::create_stream;
  StreamHandle create_stream(int set, const StreamOptions& options) override;
  StreamHandle adopt_stream(int set, void* native) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void* native_handle(StreamHandle stream) override;
  std::uint64_t native_id(StreamHandle stream) override;
  StreamHandle of_platform(StreamHandle stream) override;
  void synchronize(StreamHandle stream) override;
  bool is_idle(StreamHandle stream) override;

  using Driver::create_event;
  EventHandle create_event(int set, const EventOptions& options) override;
  void destroy_event(EventHandle event) noexcept override { platform_.destroy_event(event); }
  void* native_handle(EventHandle event) override { return platform_.native_handle(event); }
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle stream, EventHandle event) override;
  bool is_complete(EventHandle event) override { return platform_.is_complete(event); }
  void synchronize(EventHandle event) override { platform_.synchronize(event); }
  double elapsed_milliseconds(EventHandle first, EventHandle last) override {
    return platform_.elapsed_milliseconds(first, last);
  }

  void begin_capture(StreamHandle stream) override;
  bool is_capturing(StreamHandle) override { return false; }
  std::shared_ptr<WorkGraph> end_capture(StreamHandle stream) override;

  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes,
                    StreamHandle stream) override;
  const PlatformTraits& traits() const override { return platform_.traits(); }
  HostLoop host_loop(UfuncId id, const DType* inputs, std::optional<int> one) const override {
    return platform_.host_loop(id, inputs, one);
  }
  HostLoop host_cast(DType from, DType to) const override { return platform_.host_cast(from, to); }
  HostLoop host_function(const UserFunction& function) const override {
    return platform_.host_function(function);
  }
  HostLoop host_select(std::size_t item_size) const override {
    return platform_.host_select(item_size);
  }
  void copy_from_host_async(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) override;
  void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                          StreamHandle stream) override;
  void copy_to_caller(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, StreamHandle stream) override;
  void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                  StreamHandle stream) override;
  void run_on_host(std::function<void()> function, StreamHandle stream) override;
  void run_beside(std::function<void(Done)> begin, StreamHandle stream) override;

  bool compiles_plans() const override { return platform_.compiles_plans(); }
  int kernel_architecture(int set) override;
  std::shared_ptr<Kernel> build(const KernelPlan& plan, int set) override;
  void load(const std::shared_ptr<Kernel>& kernel, int set) override;
  bool is_loading() const override { return platform_.is_loading(); }
  void load_joined() noexcept override { platform_.load_joined(); }
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;
  LaunchStages stages_of(const Kernel& kernel, const LaunchArguments& arguments) override;
  // On the first member.
  void launch_stage(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                    int stage, WorkPart part, void* scratch, StreamHandle stream) override;
  // Its blocks (codegen/matmul_blocks.h) run where the most of their rows of c are, or of a where
  // that is much larger. What they read of other members is brought near first, where it is large
  // and there is room.
  void matmul(const MatmulProblem& problem, StreamHandle stream) override;
  // Parts run where the most of their results are, likewise; a single part, on the first member.
  // Columns of one matrix lie on all members: each reads and writes its share of them there.
  void fft(const FftProblem& problem, StreamHandle stream) override;
  bool can_transform_columns(const FftProblem& problem) const override {
    return platform_.can_transform_columns(problem);
  }
  FftPlanCount fft_plans(int device) override;
  void keep_fft_plans(int device, std::size_t most) override;
  // A stack is divided between its matrices, by where `a` has them. A large matrix that lies on
  // several members is brought to the first one, where there is room, and factored there.
  void factor(const FactorProblem& problem, StreamHandle stream) override;
  // Threads of CPU devices are those of all members; of GPUs, each sorts its part of a row.
  std::int64_t most_selected(DType dtype, std::int64_t length) const override {
    return traits().sets_select ? platform_.most_selected(dtype, length) : 0;
  }
  // On the first member.
  bool parts_rows(DType dtype) const override {
    return traits().sets_select && platform_.parts_rows(dtype);
  }
  void select(const SelectProblem& problem, StreamHandle stream) override;
  // The platform's: it knows devices, and no sets.
  std::shared_ptr<Module> build_module(const ModuleSource& source) override;
  void compile_functions(std::span<const UserFunction* const> functions, int set) override;

  // What other processes have lies on the first member, which alone works on it.
  SharedMemory create_shared(int set, std::size_t bytes) override;
  SharedMemory map_shared(int set, int descriptor, std::size_t bytes) override;
  void unmap_shared(int set, const SharedMemory& memory) noexcept override;

  std::size_t stripe_granularity(int set) override;
  void* allocate_striped(std::span<const StripedPart> parts, std::span<const int> devices) override;
  void deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void map_striped(void* pointer, std::span<const StripedPart> parts,
                   std::span<const int> devices) override;
  void release_striped(void* pointer, std::size_t bytes) noexcept override;
  void connect(std::span<const int> devices) override { platform_.connect(devices); }

 private:
  std::span<const int> members(int set) const { return Device(platform(), set).members(); }
  int set_of(std::span<const int> devices) const;
  int first_of(int device) const { return members(device).front(); }
  std::string name_of_set(int set) const { return Device(platform(), set).to_string(); }
  // What was found out about a set.
  struct SetState {
    std::atomic<bool> is_connected{false};
    std::atomic<std::size_t> granularity{0};  // 0: nobody has asked
  };
  SetState& state_of(int set) { return states_[static_cast<std::size_t>(set - Device::kFirstSet)]; }
  void connect_once(int set);
  void* allocate_parts(int set, std::span<const StripedPart> parts);
  std::vector<std::size_t> free_of(int set);

  // Pieces of the range that members hold; none where devices beside the set hold some of the
  // allocation, and of other memory.
  std::vector<Piece> pieces_held(const Device& set, const void* data, std::size_t bytes) const;
  // The first member has the whole allocation, or it is no set's.
  bool lies_on_lead(const SetStream& stream, const void* data) const;
  // The platform's copies between the host and device memory, by all who hold some of that: `whole`
  // where one does it all, and `part` for each of several, whose streams are returned.
  using HostCopy = void (Transfers::*)(void* target, const void* source, std::size_t bytes,
                                       StreamHandle stream);
  struct HostCopies {
    HostCopy whole;
    HostCopy part;
  };
  std::vector<StreamHandle> transfer(HostCopies run, bool writes_set, void* target,
                                     const void* source, std::size_t bytes, StreamHandle stream);
  int device_of(const void* data, int device) const;

  // Who runs what of a launch; nobody where it is not divided.
  std::vector<MemberWork> shares_of(const Device& set, const KernelPlan& plan,
                                    const LaunchArguments& arguments);
  std::vector<MemberWork> divide_by(const Device& set, const LaunchArguments& arguments,
                                    const OperandSpan& guide);
  // Every member's kernels reach the memory.
  bool is_reached(const Device& set, const void* pointer);
  bool all_reach(const Device& set, const LaunchArguments& arguments);
  bool is_small(const Device& set, const KernelPlan& plan, const LaunchArguments& arguments);
  bool launch_divided(SetStream& stream, const std::shared_ptr<Kernel>& kernel,
                      const LaunchArguments& arguments);
  static void count_gathered();

  // The member that holds the most of it, by its place; nobody: 0.
  std::size_t holder_of(const SetStream& stream, const MatrixRange& range) const;
  void multiply_divided(SetStream& stream, const std::vector<MatmulProblem>& blocks, bool by_a);
  void factor_divided(SetStream& stream, const FactorProblem& problem,
                      const std::vector<Piece>& pieces);
  void factor_near(SetStream& stream, const FactorProblem& problem);
  std::unique_ptr<PeerStaging> bring_near(Fork& fork, const SetStream& stream, std::size_t member,
                                          const MatrixRange& range);

  Driver& platform_;
  SetMemory memory_;
  std::array<SetState, Device::kEndOfIndices - Device::kFirstSet> states_{};
};

}  // namespace cupola
