import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { grant, type SignedIn, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

const the = setUpPages()
const page = '/app/profile/sessions'
const press = async (name: string | RegExp) => the.user.click(await screen.findByRole('button', { name }))
const sessions = () => [...document.querySelectorAll<HTMLElement>('.sessions li')]
const isIn = async ({ send }: Pick<SignedIn, 'send'>) => (await send({ url: '/api/m18s/user' })).statusCode === 200

const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0'

/** Somewhere else, in that browser. */
async function elsewhere(userAgent: string): Promise<Pick<SignedIn, 'send'>> {
  const form = { grant_type: 'password', username: usernameOf('user@alpha'), password }
  const answer = await grant(the.server.fastify, form, { 'x-token-store': 'body', 'user-agent': userAgent })
  const authorization = `Bearer ${answer.json().access_token}`
  return { send: (options) => the.server.fastify.inject({ ...options, headers: { authorization } }) }
}

describe('the own sessions', () => {
  it('are shown by device, and one or all of the others are ended (S-46)', async () => {
    const office = await elsewhere(edge)
    const other = await the.server.signIn('user@alpha')
    await the.browser.openAs('user@alpha', page)
    await expect.poll(() => sessions().length).toBe(3)
    const [own] = sessions()
    expect(own?.textContent).toContain('This one')
    expect(own && within(own).queryByRole('button')).toBeNull()

    await press(/on Microsoft Edge on Windows$/)
    await screen.findByText('The session has ended.')
    await expect.poll(() => sessions().length).toBe(2)
    expect([await isIn(office), await isIn(other)]).toEqual([false, true])

    await press('End all other sessions')
    await press('Keep them')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    expect(await isIn(other)).toBe(true)
    await press('End all other sessions')
    const dialog = await screen.findByRole('dialog')
    await the.user.click(within(dialog).getByRole('button', { name: 'End all other sessions' }))
    await screen.findByText('You are logged in nowhere else.')
    expect(await isIn(other)).toBe(false)
    await expect.poll(() => sessions().length).toBe(1)
  })

  it('need a connection: the page says so without one, and fills when it is back', async () => {
    await the.browser.openAs('user@alpha')
    the.browser.goOffline()
    await the.browser.open(page)
    await screen.findByText('Your sessions need a connection.')
    the.browser.goOnline()
    await expect.poll(() => sessions().length).toBe(1)
  })
})

it('an admin logs a colleague out everywhere (S-46)', async () => {
  const colleague = await the.server.signIn('user@alpha')
  await the.browser.openAs('admin@alpha', `/app/user?user=${colleague.userId}`)
  await press('End all sessions')
  await screen.findByText(/ user has been logged out on every device\.$/)
  expect(await isIn(colleague)).toBe(false)
})
