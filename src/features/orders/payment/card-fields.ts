/** Card fields in a frame of the gateway. The page receives only a token and never the card data (M81). */

export type CardTokenResult =
  | { kind: 'token'; token: string }
  /** The payer must correct the input. The message is in the payer's language, or empty. */
  | { kind: 'invalid'; message: string }
  | { kind: 'failed' }

export interface CardFields {
  createToken(): Promise<CardTokenResult>
  /** Makes the next `createToken` create a new token. Called when the current one must not be used again. */
  dropToken(): void
  /** Called when the amount has changed, because more or less of it is paid with credit. Typed values stay. */
  setAmount(amount: string): void
  close(): void
}

/**
 * Returns the same token until `dropToken` is called. If the payer presses again after a lost response, the gateway recognises the payment
 * by its key, and the payer need not wait until the first attempt is settled.
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

/** Reads the page's CSS custom properties, which style the gateway's frame. */
export function readFieldStyles<N extends string>(names: readonly N[]): Record<N, string> {
  const style = getComputedStyle(document.documentElement)
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()])) as Record<N, string>
}
