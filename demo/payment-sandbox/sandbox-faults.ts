/** Number of the shop's next requests that fail, by kind of fault. */
export interface SandboxFaults {
  /** The request is executed, and the connection breaks before the response. */
  loseAnswers: number
  /** The request is not executed, and the response is an error. */
  fail: number
}
