/** Fields for a card in a frame of the gateway's: the page gets a token for what is typed there, and nothing of the card (M81). */

export type CardTokenResult =
  | { kind: 'token'; token: string }
  /** The payer has to change something. The message is in their language, or empty. */
  | { kind: 'invalid'; message: string }
  /** The gateway did not answer. */
  | { kind: 'failed' }

export interface CardFields {
  createToken(): Promise<CardTokenResult>
  /** The token was refused: the next one is made anew. */
  dropToken(): void
  close(): void
}

/**
 * The same token until the card is changed or refused. Who presses again after a lost response goes on with the same payment, whose
 * key the gateway knows, and does not have to wait until the first one is settled.
 */
export function reuseCardToken(createToken: CardFields['createToken']): Pick<CardFields, 'createToken' | 'dropToken'> {
  let latestResult: CardTokenResult | null = null
  let changeCount = 0
  return {
    async createToken() {
      if (latestResult) return latestResult
      const changesBefore = changeCount
      const result = await createToken()
      if (result.kind === 'token' && changeCount === changesBefore) latestResult = result
      return result
    },
    dropToken() {
      changeCount += 1
      latestResult = null
    },
  }
}

/** Custom properties of the page that frames of gateways are drawn with. */
export function readFieldStyles<N extends string>(names: readonly N[]): Record<N, string> {
  const style = getComputedStyle(document.documentElement)
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()])) as Record<N, string>
}
