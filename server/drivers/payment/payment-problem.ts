/** The text contains no personal data or secrets. If the problem is not final, query the state or retry with the same key. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
  readonly isFinal: boolean
  /** Set if the gateway refuses the amount. */
  readonly amountFault: 'tooSmall' | 'tooLarge' | null

  constructor(message: string, isFinal: boolean, amountFault: 'tooSmall' | 'tooLarge' | null = null) {
    super(message)
    this.isFinal = isFinal
    this.amountFault = amountFault
  }
}

/** Thrown if a notice is malformed, not from this gateway, not for this account or mode, or too old. */
export class NoticeProblem extends Error {
  override readonly name = 'NoticeProblem'
  readonly reason: 'form' | 'signature' | 'stale' | 'account' | 'mode'

  constructor(reason: NoticeProblem['reason']) {
    super(`a payment notice was refused: ${reason}`)
    this.reason = reason
  }
}
