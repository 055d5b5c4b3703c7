import type { DockerOptions } from 'dockerode'
import type { Logger } from 'pino'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import type { RegistryLogin } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type { DockerGateway } from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'

export interface DockerHostingSettings {
  /** Options of `new Docker()`. */
  connection: DockerOptions
  /** Begins the names of all objects and is their label `portal.name`. At most 30 characters. */
  prefix: string
  image: string
  registry: RegistryLogin | null
  /** Key of the installation, from which control tokens and database passwords are derived (HKDF). */
  key: Buffer
  storage: { kind: 'volume' } | { kind: 'database'; url: string }
  /** Sizes of memory in MB that tasks can have. Null if every size is possible. */
  memorySizes: readonly number[] | null
  /** Address of all nodes if it differs from what the Swarm reports (a single machine). */
  nodeAddress: string | null
  /** Seconds between two health checks of a task. */
  healthSeconds: number
  gateway: DockerGateway
  files: Pick<FileStore, 'put' | 'get' | 'list' | 'remove'>
  clock: () => number
  log: Pick<Logger, 'warn' | 'info'>
}
