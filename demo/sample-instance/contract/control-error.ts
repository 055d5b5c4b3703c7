import { HostingError, type HostingFault } from '#server/drivers/hosting/hosting-driver.ts'
import { LineError } from '#server/drivers/hosting/data-lines.ts'
import { isDiskFull } from '#server/problems/is-disk-full.ts'

/** Error of a control request. The caller gets its message. */
export class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ControlError'
    this.status = status
  }
}

const statuses: Partial<Record<HostingFault, number>> = {
  bad_data: 422,
  bad_package: 422,
  no_room: 507,
  unreachable: 503,
}

/** Returns null for an error that the caller did not cause and must not see. */
export function toControlError(error: unknown): ControlError | null {
  if (error instanceof ControlError) return error
  const message = error instanceof Error ? error.message : ''
  if (error instanceof LineError) return new ControlError(422, message, { cause: error })
  if (isDiskFull(error)) return new ControlError(507, 'the disk is full', { cause: error })
  const status = error instanceof HostingError ? statuses[error.fault] : undefined
  return status === undefined ? null : new ControlError(status, message, { cause: error })
}
