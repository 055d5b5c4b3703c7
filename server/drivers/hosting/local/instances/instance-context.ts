import type { InstanceAddress, InstanceConfig, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import type { UserPool } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

export interface InstanceContext {
  ref: InstanceRef
  path: string
  runFolder: string
  program: InstanceProgram
  times: TaskTimes
  /** System users for the instances. Null if all instances run as the host's own user. */
  users: UserPool | null
  getAddress: () => InstanceAddress
  /** Checks that there is room for another instance. Throws HostingError `no_room`. */
  requireRoom: () => Promise<void>
  /** Throws HostingError `no_memory` if this configuration does not fit in addition to all other instances. */
  requireMemory: (config: InstanceConfig) => void
  /** Whether this amount is free in addition to what all instances have reserved. */
  hasFreeMemory: (memoryMb: number) => boolean
  onChange: () => void
}
