export type StoreFault =
  /** The store does not respond, or has an error. A later attempt may succeed. */
  | 'unreachable'
  /** Access was refused: wrong keys, missing rights or a wrong bucket name. */
  | 'refused'
  | 'no_room'
  /** The content that was read differs from the content that was written. */
  | 'damaged'
  | 'missing'

export class StoreError extends Error {
  readonly fault: StoreFault
  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.fault = fault
  }
}
