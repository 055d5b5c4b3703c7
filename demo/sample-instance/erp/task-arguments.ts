export interface TaskArguments {
  serviceId: number
  code: string
  /** Number of the task, from 1. */
  number: number
  socket: string
  folder: string
  logs: string
  data: string
  limitMb: number
  apps: readonly {
    code: string
    name: string
    version: string
    module: string
    flags: Readonly<Record<string, boolean | number>>
    /** Folder name in `apps`. Null if the app was published before packages were stored. */
    folder: string | null
  }[]
}
