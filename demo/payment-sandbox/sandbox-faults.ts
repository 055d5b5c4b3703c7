/** Faults that the tests can ask the payment sandbox for. */

/** How the next so many requests of the shop fare. */
export interface SandboxFaults {
  /** Done, and the line breaks before the answer. */
  loseAnswers: number
  /** Not done, and said so. */
  fail: number
}
