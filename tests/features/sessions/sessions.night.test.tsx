import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { requestToken, type SignedIn, buildUsername } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const page = '/app/profile/sessions'
const press = async (name: string | RegExp) => fixture.user.click(await screen.findByRole('button', { name }))
const findSessions = () => [...document.querySelectorAll<HTMLElement>('.sessions li')]
const isSignedIn = async ({ send }: Pick<SignedIn, 'send'>) =>
  (await send({ url: '/api/m18s/user' })).statusCode === 200

const edgeUserAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0'

/** Signs in the same user on another device with the given browser. */
async function signInElsewhere(userAgent: string): Promise<Pick<SignedIn, 'send'>> {
  const tokenRequest = { grant_type: 'password', username: buildUsername('user@alpha'), password }
  const response = await requestToken(fixture.server.fastify, tokenRequest, {
    'x-token-store': 'body',
    'user-agent': userAgent,
  })
  const authorization = `Bearer ${response.json().access_token}`
  return { send: (options) => fixture.server.fastify.inject({ ...options, headers: { authorization } }) }
}

describe('the sessions of the user', () => {
  it('are listed by device, and a single session or all others can be ended (S-46)', async () => {
    const officeSession = await signInElsewhere(edgeUserAgent)
    const otherSession = await fixture.server.signIn('user@alpha')
    await fixture.browser.openAs('user@alpha', page)
    await expect.poll(() => findSessions().length).toBe(3)
    const [ownSession] = findSessions()
    expect(ownSession?.textContent).toContain('This session')
    expect(findSessions()[1]?.textContent).toContain('Active just now')
    expect(ownSession && within(ownSession).queryByRole('button')).toBeNull()

    await press(/on Microsoft Edge on Windows$/)
    await screen.findByText('The session has ended.')
    await expect.poll(() => findSessions().length).toBe(2)
    expect([await isSignedIn(officeSession), await isSignedIn(otherSession)]).toEqual([false, true])

    await press('End all other sessions')
    await press('Keep them')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    expect(await isSignedIn(otherSession)).toBe(true)
    await press('End all other sessions')
    const dialog = await screen.findByRole('dialog')
    await fixture.user.click(within(dialog).getByRole('button', { name: 'End all other sessions' }))
    await screen.findByText('You are logged in nowhere else.')
    await expect.poll(() => document.activeElement?.id).toBe('sessions-list')
    expect(await isSignedIn(otherSession)).toBe(false)
    await expect.poll(() => findSessions().length).toBe(1)
  })

  it('need a connection, and are loaded once the connection is back', async () => {
    await fixture.browser.openAs('user@alpha')
    fixture.browser.goOffline()
    await fixture.browser.open(page)
    await screen.findByText('Viewing your sessions needs a connection.')
    fixture.browser.goOnline()
    await expect.poll(() => findSessions().length).toBe(1)
  })
})

it('An admin logs another user out on all devices (S-46)', async () => {
  const colleagueSession = await fixture.server.signIn('user@alpha')
  await fixture.browser.openAs('admin@alpha', `/app/user?user=${colleagueSession.userId}`)
  await press('End all sessions')
  await screen.findByText(/ user has been logged out on every device\.$/)
  expect(await isSignedIn(colleagueSession)).toBe(false)
})
