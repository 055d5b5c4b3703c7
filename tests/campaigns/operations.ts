/** Writes as a campaign plans them, and what it learns of each: recorded on a device, told to a page. */
import { randomUUID } from 'node:crypto'
import type { Deed, Told } from '#tests/support/device/rig/rig.ts'

/** Writes on one user, in the order in which somebody makes them. */
export interface Lane {
  /** The intent that makes the user: what the lane is called from beginning to end. */
  maker: string
  deeds: Deed[]
}

export interface Deeds {
  lanes: Map<string, Lane>
  /** Must take effect. What was asked and is not in here may or may not: the browser died between. */
  recorded: Set<string>
  /** A page was told that the server has it. */
  heard: Set<string>
  /** What a page was told was wrong with a write that nothing is wrong with. */
  problems: string[]
  /** A new user, made and then renamed so many times, named by the write that makes it. */
  newLane(renamings: number): Lane
  /** The same user again, by its number where one is known. Only the further writes are in the answer. */
  furtherOn(maker: string, renamings: number, id: number | null): Lane
  tell(told: Told): void
}

/** `canary` is in every name: found on a device that is somebody else's by now, it tells that something leaked. */
export function planDeeds(canary = 'Weathered'): Deeds {
  let named = 0

  function deed(intent: string, target: Deed['target']): Deed {
    named += 1
    return {
      intent,
      target,
      name: `${canary} ${named}`,
      email: target === null ? `weather-${intent}@acme.example` : '',
    }
  }

  const renamings = (times: number, target: Deed['target']) =>
    Array.from({ length: times }, () => deed(randomUUID(), target))

  const plan: Deeds = {
    lanes: new Map(),
    recorded: new Set(),
    heard: new Set(),
    problems: [],
    newLane(times) {
      const maker = randomUUID()
      const lane = { maker, deeds: [deed(maker, null), ...renamings(times, `~${maker}`)] }
      plan.lanes.set(maker, lane)
      return lane
    },
    furtherOn(maker, times, id) {
      const lane = plan.lanes.get(maker)
      if (!lane) throw new Error(`no lane is called ${maker}`)
      const further = renamings(times, id ?? `~${maker}`)
      lane.deeds.push(...further)
      return { maker, deeds: further }
    },
    tell({ intent, what, problem }) {
      if (what === 'problem') plan.problems.push(`${intent}: ${problem}`)
      else plan.recorded.add(intent)
      if (what === 'fresh') plan.heard.add(intent)
    },
  }
  return plan
}
