/**
 * Connections that are shared. A transaction that is one message from its beginning to its end needs none for itself: it is
 * sent behind those that are on their way, and the database does one after the other without waiting for anybody. With two
 * such lanes a commit of the one waits for the disk while the other is at work.
 *
 * What waits for a lock keeps those behind it waiting, so a lane takes few at a time, and none while its first is late.
 */
import type { Pool } from 'pg'
import type { Own } from '#server/db/client.ts'
import type { Flight } from '#server/db/flight.ts'

const most = { lanes: 2, flights: 8, lateMs: 50 }

interface Lane {
  connection: Own
  /** When each left that has not landed, in ms; the first is the oldest. */
  left: number[]
}

export class Lanes {
  readonly #pool: Pool
  readonly #lanes = new Set<Lane>()
  #opening = 0
  #isClosed = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** False: there is no room, or no lane yet. */
  carry(flight: Flight): boolean {
    if (this.#lanes.size + this.#opening < most.lanes && !this.#isClosed) void this.#open()
    const now = performance.now()
    // The first one that is free, not the emptiest: the database is woken once for several.
    const free = [...this.#lanes].find(({ left }) => left.length < most.flights && now - (left[0] ?? now) < most.lateMs)
    if (!free) return false
    const { connection, left } = free
    left.push(now)
    // They land in the order in which they left.
    connection.fly(flight, () => void left.shift())
    return true
  }

  async #open(): Promise<void> {
    this.#opening += 1
    try {
      const lane: Lane = { connection: (await this.#pool.connect()) as unknown as Own, left: [] }
      if (this.#isClosed) return lane.connection.release()
      const lost = () => {
        if (this.#lanes.delete(lane)) lane.connection.release(true)
      }
      lane.connection.on('error', lost)
      lane.connection.on('end', lost)
      this.#lanes.add(lane)
    } catch {
      // Who wants a connection of their own is told.
    } finally {
      this.#opening -= 1
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { connection } of this.#lanes) connection.release()
    this.#lanes.clear()
  }
}
