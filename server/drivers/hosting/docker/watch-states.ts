/**
 * Keeps the states of all services current: after each event of the engine, and by a comparison every few seconds, because the engine
 * reports no events of containers on other machines. Gives the routes to the gateway.
 */
import type { InstanceRef, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { type EngineEvent, watchEvents } from '#server/drivers/hosting/docker/engine/watch-events.ts'
import { labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { ServiceRoute } from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'
import { containerPort, getReplicas } from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import {
  settleRecord,
  type StateInput,
  toInstanceState,
} from '#server/drivers/hosting/docker/services/instance-state.ts'
import { listStates, readSnapshot, type SwarmSnapshot } from '#server/drivers/hosting/docker/services/read-states.ts'
import { findTaskTarget, isNodeReady, isTaskHealthy } from '#server/drivers/hosting/docker/services/task-states.ts'

const idleIntervalMs = 5000
/** While tasks of a deployment are starting. */
const busyIntervalMs = 1000
/** Longest interval if the engine does not respond. */
const maxIntervalMs = 30_000
/** Events come in groups. */
const eventDelayMs = 100

/** Not the health checks, which the engine runs as `exec` events. */
const watchedEvents = ['create', 'update', 'remove', 'start', 'die', 'oom', 'health_status']

export interface StateWatch {
  /** Reads the states soon, because a call of this driver has changed something. */
  refresh(): void
  /** Uses what somebody else has just read. So the routes are never older than the states that callers know. */
  useSnapshot(snapshot: SwarmSnapshot): InstanceState[]
  useState(input: StateInput): InstanceState
  subscribe(onChange: (ref: InstanceRef) => void): () => void
  close(): void
}

export function watchStates(context: DockerContext): StateWatch {
  const { settings, api } = context
  const controller = new AbortController()
  const listeners = createStateListeners()
  let routesById = new Map<number, readonly ServiceRoute[]>()
  let timer: NodeJS.Timeout | null = null
  /** When the timer ends, in ms of `performance`. */
  let dueAt = Infinity
  let isReading = false
  let isOutdated = false
  let failureCount = 0
  let isLossLogged = false

  function schedule(delayMs: number): void {
    if (controller.signal.aborted) return
    if (timer) clearTimeout(timer)
    dueAt = performance.now() + delayMs
    timer = setTimeout(() => void read(), delayMs)
    timer.unref()
  }

  async function read(): Promise<void> {
    if (isReading) {
      isOutdated = true
      return
    }
    isReading = true
    isOutdated = false
    dueAt = Infinity
    let intervalMs = idleIntervalMs
    try {
      const snapshot = await readSnapshot(context)
      if (controller.signal.aborted) return
      intervalMs = getInterval(acceptSnapshot(snapshot))
    } catch (error) {
      failureCount += 1
      intervalMs = Math.min(maxIntervalMs, idleIntervalMs * 2 ** (failureCount - 1))
      logLost(error)
    } finally {
      isReading = false
      schedule(isOutdated ? eventDelayMs : intervalMs)
    }
  }

  function acceptSnapshot(snapshot: SwarmSnapshot): InstanceState[] {
    failureCount = 0
    isLossLogged = false
    routesById = new Map(snapshot.inputs.map((input) => [input.record.serviceId, toRoute(input, settings.nodeAddress)]))
    settings.gateway.setRoutes([...routesById.values()].flat())
    const states = listStates(snapshot)
    listeners.publish(states)
    return states
  }

  /** Logs once until the engine responds again. */
  function logLost(error: unknown): void {
    if (isLossLogged) return
    isLossLogged = true
    settings.log.warn(
      { event: 'docker_states_outdated', err: error },
      'the docker engine does not respond; hosted services keep running, but their states are not current',
    )
  }

  /** An event never delays the reading for an earlier one. Otherwise many events would prevent every reading. */
  const refresh = () => {
    if (isReading) isOutdated = true
    else if (dueAt > performance.now() + eventDelayMs) schedule(eventDelayMs)
  }

  void watchEvents({
    api,
    filters: { type: ['container', 'service', 'config', 'node'], event: watchedEvents },
    clock: settings.clock,
    isRelevant: (event) => isOwnEvent(event, settings.prefix),
    onEvent: refresh,
    onLost: logLost,
    signal: controller.signal,
  })
  schedule(0)

  return {
    refresh,
    useSnapshot(snapshot) {
      const states = acceptSnapshot(snapshot)
      // The next reading can wait as long as after one of its own, unless an event has come since this snapshot was read.
      if (!isReading && dueAt > performance.now() + eventDelayMs) schedule(getInterval(states))
      return states
    },
    useState(input) {
      const { serviceId } = input.record
      const routes = toRoute(input, settings.nodeAddress)
      if (JSON.stringify(routes) !== JSON.stringify(routesById.get(serviceId) ?? [])) {
        routesById.set(serviceId, routes)
        settings.gateway.setRoutes([...routesById.values()].flat())
      }
      return toInstanceState(input)
    },
    subscribe: listeners.subscribe,
    close() {
      controller.abort()
      listeners.close()
      if (timer) clearTimeout(timer)
    },
  }
}

/** Compares the states with those before, and notifies of those that differ. */
function createStateListeners() {
  const listeners = new Set<(ref: InstanceRef) => void>()
  let statesById: Map<number, { ref: InstanceRef; text: string }> | null = null
  const notify = (ref: InstanceRef) => {
    for (const listener of listeners) listener(ref)
  }
  return {
    publish(states: readonly InstanceState[]): void {
      const previousStatesById = statesById
      statesById = new Map(
        states.map((state) => [
          state.serviceId,
          { ref: { serviceId: state.serviceId, code: state.code }, text: JSON.stringify(state) },
        ]),
      )
      // The first reading has nothing to compare with, and whoever subscribes later reads the states anyway.
      if (!previousStatesById) return
      for (const [serviceId, { ref, text }] of statesById)
        if (previousStatesById.get(serviceId)?.text !== text) notify(ref)
      for (const [serviceId, { ref }] of previousStatesById) if (!statesById.has(serviceId)) notify(ref)
    },
    subscribe(onChange: (ref: InstanceRef) => void): () => void {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
    close(): void {
      listeners.clear()
    },
  }
}

/** Only events of containers have labels. */
function isOwnEvent({ Type: type, Actor }: EngineEvent, prefix: string): boolean {
  const attributes = Actor?.Attributes ?? {}
  if (type === 'container') return attributes[labels.portal] === prefix
  return type === 'node' || (attributes.name ?? '').startsWith(`${prefix}-`)
}

const getInterval = (states: readonly InstanceState[]): number =>
  states.some(isChanging) ? busyIntervalMs : idleIntervalMs

const isChanging = ({ deployment }: InstanceState): boolean =>
  deployment?.state === 'in_progress' && deployment.healthyTasks < deployment.wantedTasks

export function toRoute(input: StateInput, nodeAddress: string | null): ServiceRoute[] {
  const { tasks, nodesById } = input
  const record = settleRecord(input)
  if (!record.created) return []
  const targets = tasks.filter(isTaskHealthy).flatMap((task) => {
    const node = nodesById.get(task.NodeID ?? '')
    return (isNodeReady(node) && findTaskTarget(task, containerPort, node, nodeAddress)) || []
  })
  return [{ code: record.code, shouldRun: getReplicas(record) > 0, targets }]
}
