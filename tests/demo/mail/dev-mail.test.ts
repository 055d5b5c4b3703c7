import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFolderMailDriver } from '#server/drivers/mail/folder.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'portal-box-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const storeMail = (subject: string, id: string) =>
  createFolderMailDriver(dataDir, () => Date.parse('2026-03-02T02:00:00Z')).send({
    id,
    to: { name: '<b>Ana</b>', address: 'ana@nova.example' },
    subject,
    text: 'Look: http://localhost/saas/x?otk=1&lang=en <i>',
    html: '<!doctype html><html><head></head><body><a href="http://localhost/x">"Go"</a></body></html>',
  })

describe('GET /dev/mail', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env: { DEMO: '1', DATA_DIR: dataDir } })
  })
  afterAll(() => server.close())
  beforeEach(() => rmSync(join(dataDir, 'mail'), { recursive: true, force: true }))
  const get = (url: string) => server.send({ url })

  test('lists mails, and shows a mail with all its markup escaped', async () => {
    await storeMail('Hello & welcome', 'abcdefgh')
    const list = await get('/dev/mail')
    expect([list.statusCode, list.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(list.body).toContain('Hello &amp; welcome')
    const path = /href="(\/dev\/mail\/[^"]+)"/.exec(list.body)?.[1] ?? ''
    const mailPage = await get(path)
    expect(mailPage.body).toContain('&lt;b&gt;Ana&lt;/b&gt;')
    expect(mailPage.body).not.toContain('<b>Ana')
    expect(mailPage.body).toContain('<a href="http://localhost/saas/x?otk=1&amp;lang=en">')
    expect(mailPage.body).toContain('sandbox="allow-top-navigation-by-user-activation"')
    expect(mailPage.body).toContain('&lt;base target=&quot;_top&quot;&gt;')
    expect(mailPage.headers['content-security-policy']).toMatch(/^default-src 'none';/)
    expect(mailPage.headers['cache-control']).toBe('no-store')
  })

  test('lists the files of a mail and returns them', async () => {
    await createFolderMailDriver(dataDir, Date.now).send({
      id: 'withfile',
      to: { name: 'Ana', address: 'ana@nova.example' },
      subject: 'Receipt',
      text: '',
      html: '',
      attachments: [{ name: 'I202611000001.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') }],
    })
    const path = /href="(\/dev\/mail\/[^"]+)"/.exec((await get('/dev/mail')).body)?.[1] ?? ''
    const filePath = /href="([^"]+\/attachment\/0)">I202611000001\.pdf</.exec((await get(path)).body)?.[1] ?? ''
    const file = await get(filePath)
    expect([file.statusCode, file.headers['content-type'], file.body]).toEqual([200, 'application/pdf', '%PDF'])
    expect(file.headers['content-disposition']).toBe('inline; filename="I202611000001.pdf"')
    for (const index of ['1', '-1', 'x']) expect((await get(`${path}/attachment/${index}`)).statusCode).toBe(404)
  })

  test('shows a hint if there are no mails, and returns 404 for unknown names', async () => {
    expect((await get('/dev/mail')).body).toContain('No mail yet.')
    for (const name of ['nothing', '..%2Ftoken', '%00'])
      expect([name, (await get(`/dev/mail/${name}`)).statusCode]).toEqual([name, 404])
    expect((await get('/dev/mail.css')).headers['content-type']).toBe('text/css; charset=utf-8')
  })

  test('shows a hint if mails are sent to an SMTP server', async () => {
    const otherServer = await startServer({ env: { DEMO: '1', DATA_DIR: dataDir, SMTP_URL: 'smtp://127.0.0.1:1' } })
    await storeMail('Not shown', 'abcdefgh')
    expect((await otherServer.send({ url: '/dev/mail' })).body).toContain('Mails are sent through SMTP_URL')
    await otherServer.close()
  })
})

test('GET /dev/mail returns 404 if the demo is off', async () => {
  const server = await startServer({ env: { DATA_DIR: dataDir } })
  await storeMail('Secret', 'abcdefgh')
  for (const url of ['/dev/mail', '/dev/mail/x', '/dev/mail.css'])
    expect((await server.send({ url })).statusCode).toBe(404)
  await server.close()
})
