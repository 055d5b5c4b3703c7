/** Runs the outbox in one page, with a real server. Built separately and loaded into an empty page, so that no other code sends writes. */
import { updateCompanyUser } from '#contract/users.ts'
import { readSession } from '#local/session/session.ts'
import { getSenderLockName } from '#request/writes/sender.ts'
import { recordWrite } from '#request/writes/record-write.ts'
import { signIn } from '#request/session/sign-in.ts'
import { ports } from '#app/connection/api.ts'

let targetId = 0

export async function signInAndPickTarget(company: string, username: string, password: string): Promise<void> {
  const signInResult = await signIn(ports, { company, username, password, language: 'en' })
  if (signInResult.kind !== 'fresh') throw new Error(`the sign-in failed: ${JSON.stringify(signInResult)}`)
  const { company_id: companyId, id } = signInResult.output.user
  const response = await fetch(`/api/m18s/company/${companyId}/users?results=50`, {
    headers: { authorization: `Bearer ${await ports.tokenAccess.read(null)}` },
  })
  const { data } = (await response.json()) as { data: { id: number; status: number }[] }
  targetId = data.find((user) => user.id !== id && user.status === 1)?.id ?? 0
}

async function recordOneWrite(index: number): Promise<void> {
  const result = await recordWrite(ports, updateCompanyUser, {
    params: { id: targetId },
    body: { alert: index % 2 === 0 },
  })
  if ('problem' in result) throw new Error(result.problem.code)
}

/** Returns the time of each write in ms. Nothing is sent meanwhile, because this function holds the sender's lock. */
export async function storeWrites(writeCount: number): Promise<number[]> {
  const device = await ports.device()
  const session = await readSession(device)
  if (!session) throw new Error('no user is signed in')
  const lockResult = await ports.locks.hold(
    getSenderLockName(device.getDatabase(session)),
    { waitMs: 30_000 },
    async () => {
      const times: number[] = []
      for (let index = 0; index < writeCount; index++) {
        const startedAt = performance.now()
        await recordOneWrite(index)
        times.push(performance.now() - startedAt)
      }
      return times
    },
  )
  if (!lockResult) throw new Error('the sender did not become idle in time')
  return lockResult.value
}
