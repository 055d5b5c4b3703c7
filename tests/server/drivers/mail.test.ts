import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { type MailMessage, type MailDriver, MailProblem } from '#server/drivers/mail/mail-driver.ts'
import { createFolderMailDriver, listMail, maxMails, readMail } from '#server/drivers/mail/folder.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { type SmtpServer, startSmtp } from '#tests/support/server/smtp.ts'

const createMail = (id = 'a1b2c3d4e5f6'): MailMessage => ({
  id,
  to: { name: 'Ana 王\r\nBcc: evil@example.com', address: 'ana@example.com' },
  subject: '激活您的账号',
  text: '您好\n.\nhttp://localhost/x\n',
  html: '<!doctype html><p>您好</p>',
})

describe('mail over SMTP', () => {
  let smtp: SmtpServer
  let driver: MailDriver
  beforeAll(async () => {
    smtp = await startSmtp()
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Portal <portal@example.com>', PUBLIC_URL: 'https://portal.example' }
    driver = chooseMail(testConfig(env), Date.now)
  })
  afterEach(() => {
    smtp.receivedMails.length = 0
    for (const verb of Object.keys(smtp.behaviour)) delete smtp.behaviour[verb as keyof typeof smtp.behaviour]
  })
  afterAll(() => smtp.close())

  const sendAndReadProblem = () =>
    driver.send(createMail()).then(
      () => null,
      (error: unknown) => error as MailProblem,
    )

  it('is sent from the configured address to one person, as text and HTML, with its own message id', async () => {
    await driver.send(createMail())
    const [{ from, to, data }] = smtp.receivedMails as [(typeof smtp.receivedMails)[0]]
    expect([from, to]).toEqual(['portal@example.com', ['ana@example.com']])
    expect(data).toContain('Message-ID: <a1b2c3d4e5f6@portal.example>')
    expect(data).toContain('Auto-Submitted: auto-generated')
    expect(data).toMatch(/text\/plain; charset=utf-8[\s\S]*text\/html; charset=utf-8/)
    expect(data).toMatch(/^Subject: =\?UTF-8\?/m)
  })

  it('has its files as attachments, byte for byte and with their names', async () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index % 256)
    await driver.send({ ...createMail(), attachments: [{ name: 'I202611000001.pdf', type: 'application/pdf', bytes }] })
    const data = smtp.receivedMails[0]?.data ?? ''
    expect(data).toContain('Content-Type: application/pdf; name=I202611000001.pdf')
    expect(data).toContain('Content-Disposition: attachment; filename=I202611000001.pdf')
    const encodedFile = /filename=I202611000001\.pdf\n(?:[^\n]+\n)*\n([A-Za-z0-9+/=\n]+)/.exec(data)?.[1] ?? ''
    expect(Buffer.from(encodedFile, 'base64')).toEqual(Buffer.from(bytes))
  })

  it('does not turn a line break in a name into a header (S-05)', async () => {
    await driver.send(createMail())
    expect(smtp.receivedMails[0]?.data).not.toMatch(/^Bcc:/m)
    expect(smtp.receivedMails[0]?.to).toEqual(['ana@example.com'])
  })

  it.each([
    ['MAIL', '451 later', false],
    ['RCPT', '450 greylisted', false],
    ['RCPT', '550 no such mail box', true],
    ['DATA', '421 closing', false],
    ['BODY', '452 full', false],
    ['BODY', '554 looks like spam', true],
  ] as const)('causes a problem if refused at %s with "%s" (final: %s)', async (verb, response, isFinal) => {
    smtp.behaviour[verb] = response
    const problem = await sendAndReadProblem()
    expect([problem instanceof MailProblem, problem?.isFinal]).toEqual([true, isFinal])
    // The log must not contain the address of the recipient.
    expect(problem?.message).toContain(response.slice(0, 3))
    expect(problem?.message).not.toContain('ana')
  })

  it('causes a problem that is not final if the response is lost or the server is unreachable', async () => {
    smtp.behaviour.hangsUp = true
    expect((await sendAndReadProblem())?.isFinal).toBe(false)
    const closedServer = await startSmtp()
    await closedServer.close()
    const unreachableDriver = chooseMail(testConfig({ SMTP_URL: closedServer.url }), Date.now)
    await expect(unreachableDriver.send(createMail())).rejects.toMatchObject({ name: 'MailProblem', isFinal: false })
  })
})

describe('mail to files', () => {
  let dataDir: string
  let now: number
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portal-mail-'))
    now = Date.parse('2026-03-02T02:00:00Z')
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const sendMail = (id?: string) => createFolderMailDriver(dataDir, () => now).send(createMail(id))

  it('is stored as one file per mail for its owner only, and listed newest first', async () => {
    await sendMail('first000')
    now += 1000
    await sendMail('second00')
    const mails = await listMail(dataDir)
    expect(mails.map(({ name }) => name)).toEqual([
      '2026-03-02T02-00-01-000Z-second00',
      '2026-03-02T02-00-00-000Z-first000',
    ])
    expect(await readMail(dataDir, mails[1]?.name ?? '')).toMatchObject({ subject: '激活您的账号', time: now - 1000 })
    const folder = join(dataDir, 'mail')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  })

  it('is stored with its files', async () => {
    const bytes = Uint8Array.of(0, 255, 10)
    const attachments = [{ name: 'I1.pdf', type: 'application/pdf', bytes }]
    await createFolderMailDriver(dataDir, () => now).send({ ...createMail(), attachments })
    const [mail] = await listMail(dataDir)
    expect(mail?.attachments).toEqual([{ name: 'I1.pdf', type: 'application/pdf', base64: 'AP8K' }])
  })

  it('keeps only the newest mails', async () => {
    for (let index = 0; index < maxMails + 3; index++) {
      now += 1
      await sendMail(String(index).padStart(8, '0'))
    }
    const names = readdirSync(join(dataDir, 'mail')).toSorted()
    expect([names.length, names[0]?.slice(-13)]).toEqual([maxMails, '00000003.json'])
  })

  it('ignores partially written files, and later removes those that a crash has left (fault 17h)', async () => {
    await sendMail('first000')
    const folder = join(dataDir, 'mail')
    const storedMail = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')
    const name = '2026-03-02T01-00-00-000Z-cutoff00'
    writeFileSync(join(folder, `${name}.json`), storedMail.slice(0, storedMail.length / 2))
    writeFileSync(join(folder, `${name}.json.part`), storedMail.slice(0, 10))
    expect(await readMail(dataDir, name)).toBeNull()
    expect((await listMail(dataDir)).map((mail) => mail.name)).toEqual(['2026-03-02T02-00-00-000Z-first000'])
    now += 3_600_000
    await sendMail('second00')
    expect(readdirSync(folder).filter((file) => file.endsWith('.part'))).toEqual([])
  })

  it('writes one file if the same mail is sent twice concurrently (fault 17h)', async () => {
    await Promise.all([sendMail('twice000'), sendMail('twice000')])
    expect(readdirSync(join(dataDir, 'mail'))).toEqual(['2026-03-02T02-00-00-000Z-twice000.json'])
    expect((await listMail(dataDir))[0]).toMatchObject({ subject: '激活您的账号' })
  })

  it('can be read by its name, but not by a path (U-05)', async () => {
    await sendMail()
    for (const name of ['../mail/x', '..', '.', '', 'a/b', '%2e%2e', 'x'.repeat(200)])
      expect(await readMail(dataDir, name)).toBeNull()
    expect(await listMail(join(dataDir, 'nowhere'))).toEqual([])
  })
})
