import type { InstanceAddress, InstanceRef } from '#server/drivers/hosting/driver.ts'
import type { TaskProgram, TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

/** What one instance is given by its supervisor. */
export interface InstancePlace {
  ref: InstanceRef
  /** Its own folder. */
  path: string
  /** Of sockets. */
  runFolder: string
  program: TaskProgram
  times: TaskTimes
  address: () => InstanceAddress
  /** For one more. Throws HostingError `no_room`. */
  requireRoom: () => Promise<void>
  /** Its state may be another. */
  changed: () => void
}
