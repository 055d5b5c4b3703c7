/**
 * Checks before the first use that the daemon can manage a Swarm, and that the services under this portal's name in the Swarm are its own. Two
 * portals with one name would remove each other's services. The owner is a Swarm config `PREFIX-owner`, whose label has the id of the
 * portal's database, so a restored database is still the owner.
 */
import type Docker from 'dockerode'
import {
  EngineRefusal,
  createEngineClient,
  type EngineClient,
  isConflict,
  isMissing,
} from '#server/drivers/hosting/docker/engine/engine-client.ts'

export type SwarmFault = 'unreachable' | 'no_swarm' | 'no_manager' | 'other_owner'

/** Reason why the portal cannot use the Swarm. The message is one sentence that says what to do. */
export class SwarmError extends Error {
  readonly fault: SwarmFault
  constructor(fault: SwarmFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SwarmError'
    this.fault = fault
  }
}

export interface SwarmOwnerOptions {
  docker: Docker
  /** Address of the daemon, for messages. */
  address: string
  prefix: string
  installationId: string
  /** Limit in ms for each complete answer of the daemon. */
  timeoutMs?: number
}

/** Label of the owner's config. It has no label of a service, so that it is no record of one. */
export const ownerLabel = 'portal.owner'

const ownerText =
  'The services under this name belong to the portal whose database has the id in the label portal.owner.\n'

export interface ClaimedSwarm {
  /** False if tasks may get new privileges, as far as the daemon tells: Docker 20.10 does not tell its setting. */
  limitsPrivileges: boolean
}

/** Claims the name in the Swarm if nobody has it. Throws SwarmError. */
export async function claimSwarm(options: SwarmOwnerOptions): Promise<ClaimedSwarm> {
  const { address, prefix, installationId } = options
  const client = createEngineClient(options.docker, Date.now)
  try {
    const info = await requireManager(client, options)
    const owner = (await readOwner(client, options)) ?? (await createOwner(client, options))
    if (owner === installationId) return { limitsPrivileges: limitsPrivileges(info) }
  } catch (error) {
    throw error instanceof SwarmError ? error : toUnreachable(address, error)
  }
  throw new SwarmError(
    'other_owner',
    `The Swarm already has the services of another portal under the name ${prefix}: set DOCKER_PREFIX to another name, or remove them if that portal is gone (docs/operating.md, "Two portals").`,
  )
}

interface DaemonInfo {
  ServerVersion?: string
  SecurityOptions?: string[] | null
  Swarm?: { LocalNodeState?: string; ControlAvailable?: boolean; Error?: string }
}

async function requireManager(client: EngineClient, { address, timeoutMs }: SwarmOwnerOptions): Promise<DaemonInfo> {
  // An answer without a body is null.
  const info =
    (await client.call<DaemonInfo | null>({ method: 'GET', path: '/info', ...(timeoutMs && { timeoutMs }) })) ?? {}
  const { Swarm: swarm } = info
  const state = swarm?.LocalNodeState ?? 'inactive'
  if (state === 'inactive')
    throw new SwarmError('no_swarm', `Docker at ${address} is not in a Swarm: run "docker swarm init" on that machine.`)
  // `pending`, `error` and `locked`, for example while the daemon starts.
  if (state !== 'active')
    throw new SwarmError(
      'unreachable',
      `The Swarm of Docker at ${address} is not ready (${state}${swarm?.Error ? `: ${swarm.Error}` : ''}): wait until it has started, or unlock it.`,
    )
  if (swarm?.ControlAvailable !== true)
    throw new SwarmError('no_manager', `Docker at ${address} is a worker of its Swarm: set DOCKER_HOST to a manager.`)
  return info
}

/** Engines before 25.0 ignore `NoNewPrivileges` of a service, so that only the setting of the daemon has an effect. */
const limitsPrivileges = ({ ServerVersion = '', SecurityOptions }: DaemonInfo): boolean =>
  Number.parseInt(ServerVersion) >= 25 || SecurityOptions?.includes('name=no-new-privileges') === true

const getOwnerName = (prefix: string) => `${prefix}-owner`

/** Returns the id of the owner, an empty text for a config that no portal created, or null if the name is free. */
async function readOwner(client: EngineClient, { prefix, timeoutMs }: SwarmOwnerOptions): Promise<string | null> {
  try {
    const path = `/configs/${getOwnerName(prefix)}`
    const config = await client.call<{ Spec?: { Labels?: Record<string, string> } } | null>({
      method: 'GET',
      path,
      ...(timeoutMs && { timeoutMs }),
    })
    return config?.Spec?.Labels?.[ownerLabel] ?? ''
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Returns the id of the owner, which is another portal if that one was faster. */
async function createOwner(client: EngineClient, options: SwarmOwnerOptions): Promise<string> {
  const { prefix, installationId, timeoutMs } = options
  try {
    const body = {
      Name: getOwnerName(prefix),
      Labels: { [ownerLabel]: installationId },
      Data: Buffer.from(ownerText).toString('base64'),
    }
    await client.readText({ method: 'POST', path: '/configs/create', body, ...(timeoutMs && { timeoutMs }) })
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  return (await readOwner(client, options)) ?? ''
}

const hintsByCode: Record<string, string> = {
  ENOENT: 'start the daemon, or set DOCKER_HOST to its socket',
  ECONNREFUSED: 'start the daemon, or set DOCKER_HOST to its address',
  EACCES: 'let the user of the portal use the socket, for example by the group docker',
  ENOTFOUND: 'set DOCKER_HOST to a name that exists',
}

function toUnreachable(address: string, error: unknown): SwarmError {
  if (error instanceof EngineRefusal)
    return new SwarmError(
      'unreachable',
      `Docker at ${address} refuses a call that the portal needs (${error.message}): check the rights of DOCKER_HOST.`,
      { cause: error },
    )
  const { cause = error } = error as Error
  const { code = '', message } = (cause instanceof Error ? cause : error) as NodeJS.ErrnoException
  const hint = hintsByCode[code] ?? 'check the daemon and DOCKER_HOST'
  const reason = message.replaceAll(/\s+/g, ' ').slice(0, 300)
  return new SwarmError('unreachable', `Docker does not answer at ${address} (${reason}): ${hint}.`, { cause: error })
}
