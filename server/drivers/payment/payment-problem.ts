/** What can go wrong between us and a gateway, as the callers tell it apart. */

/** Its message names no person and no secret. `isFinal`: the same would be refused again; otherwise ask, or begin again with the same key. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
  readonly isFinal: boolean
  /** The amount is what the gateway does not take. */
  readonly amountFault: 'tooSmall' | 'tooLarge' | null

  constructor(message: string, isFinal: boolean, amountFault: 'tooSmall' | 'tooLarge' | null = null) {
    super(message)
    this.isFinal = isFinal
    this.amountFault = amountFault
  }
}

/** Not from our gateway, not for us, or too old. */
export class NoticeProblem extends Error {
  override readonly name = 'NoticeProblem'
  readonly reason: 'form' | 'signature' | 'stale' | 'account' | 'mode'

  constructor(reason: NoticeProblem['reason']) {
    super(`a payment notice was refused: ${reason}`)
    this.reason = reason
  }
}
