/**
 * The outbox in one page, over a real server. Built beside the product and loaded into an empty page, so that nothing else
 * sends.
 */
import { updateCompanyUser } from '#contract/users.ts'
import { readSession } from '#local/session/session.ts'
import { senderLock } from '#request/writes/sender.ts'
import { record } from '#request/writes/record-write.ts'
import { signIn } from '#request/session/sign-in.ts'
import { ports } from '#app/connection/api.ts'

let target = 0

/** Signs in, and finds the row that is written to. */
export async function enter(company: string, username: string, password: string): Promise<void> {
  const entered = await signIn(ports, { company, username, password, language: 'en' })
  if (entered.kind !== 'fresh') throw new Error(`not let in: ${JSON.stringify(entered)}`)
  const { company_id: companyId, id } = entered.output.user
  const answer = await fetch(`/api/m18s/company/${companyId}/users?results=50`, {
    headers: { authorization: `Bearer ${await ports.access.read(null)}` },
  })
  const { data } = (await answer.json()) as { data: { id: number; status: number }[] }
  target = data.find((user) => user.id !== id && user.status === 1)?.id ?? 0
}

async function recorded(at: number): Promise<void> {
  const told = await record(ports, updateCompanyUser, { params: { id: target }, body: { alert: at % 2 === 0 } })
  if ('problem' in told) throw new Error(told.problem.code)
}

/**
 * Stores so many writes, each after the one before; ms that each took. Nothing leaves meanwhile: whoever may send waits for the
 * lock that is held here.
 */
export async function store(writes: number): Promise<number[]> {
  const device = await ports.device()
  const session = await readSession(device)
  if (!session) throw new Error('nobody is signed in')
  const held = await ports.locks.hold(senderLock(device.of(session)), { waitMs: 30_000 }, async () => {
    const times: number[] = []
    for (let at = 0; at < writes; at++) {
      const from = performance.now()
      await recorded(at)
      times.push(performance.now() - from)
    }
    return times
  })
  if (!held) throw new Error('something is being sent all the time')
  return held.value
}
