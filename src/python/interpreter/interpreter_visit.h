#pragma once
// Who may use the interpreter from threads that it does not know, and until when.
//
// Python ends by itself when the main thread has, and tells nobody: from some moment on its
// functions take what is freed for what is there. So each use from elsewhere is a visit. The end
// waits for those that have begun, and no other begins.

namespace cupola::python {

// While one lives that is true, the interpreter does not end. False: it has ended, or is about to.
// Within a visit another one is always true; the thread that ends the interpreter needs none.
class [[gnu::visibility("hidden")]] InterpreterVisit {
 public:
  InterpreterVisit();
  ~InterpreterVisit();
  InterpreterVisit(const InterpreterVisit&) = delete;
  InterpreterVisit& operator=(const InterpreterVisit&) = delete;

  explicit operator bool() const { return is_open_; }

 private:
  bool is_counted_ = false;
  bool is_open_;
};

// Called by the thread that ends the interpreter, without the interpreter lock.
void end_visits();

}  // namespace cupola::python
