import type { InstanceAddress, InstanceConfig, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import type { UserPool } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

/** What one instance is given by its supervisor. */
export interface InstanceContext {
  ref: InstanceRef
  /** Its own folder. */
  path: string
  /** Of sockets. */
  runFolder: string
  program: InstanceProgram
  times: TaskTimes
  /** Null: instances run as the host's own user. */
  users: UserPool | null
  getAddress: () => InstanceAddress
  /** For one more. Throws HostingError `no_room`. */
  requireRoom: () => Promise<void>
  /** For the instance with that configuration, beside all others. Throws HostingError `no_memory`. */
  requireMemory: (config: InstanceConfig) => void
  /** Its state may be another. */
  onChange: () => void
}
