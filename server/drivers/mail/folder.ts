/** Stores mails as files, readable only by their owner, so that everything works without a mail server. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailAttachment, MailMessage, MailDriver } from '#server/drivers/mail/mail-driver.ts'

/** `base64`: the file. */
export interface StoredAttachment extends Omit<MailAttachment, 'bytes'> {
  base64: string
}

export interface StoredMail extends Omit<MailMessage, 'id' | 'attachments'> {
  /** Epoch ms. */
  time: number
  /** Missing in mails without files. */
  attachments?: StoredAttachment[]
}

export const maxMails = 500

export const getMailFolder = (dataDir: string) => join(dataDir, 'mail')

/** Returns the file name of a mail. It begins with the UTC time, so that files are sorted by time. */
const formatMailName = (time: number, id: string) =>
  `${new Date(time).toISOString().replace(/[:.]/g, '-')}-${id.slice(0, 8)}`

const listMailNames = async (folder: string): Promise<string[]> => {
  const files = await readdir(folder).catch(() => [])
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted()
}

export const createFolderMailDriver = (dataDir: string, clock: () => number): MailDriver => ({
  async send({ id, attachments = [], ...mail }) {
    const folder = getMailFolder(dataDir)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const time = clock()
    const path = join(folder, `${formatMailName(time, id)}.json`)
    const files = attachments.map(({ bytes, ...file }) => ({ ...file, base64: Buffer.from(bytes).toString('base64') }))
    const storedMail: StoredMail = { time, ...mail, ...(files.length > 0 ? { attachments: files } : {}) }
    // Each attempt writes its own draft and syncs it before the rename, so that a reader never sees an incomplete mail.
    const draft = `${path}.${randomUUID()}.part`
    await writeFile(draft, `${JSON.stringify(storedMail, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(draft, path)
    await removeOldDrafts(folder, time)
    for (const oldName of (await listMailNames(folder)).slice(0, -maxMails))
      await rm(join(folder, `${oldName}.json`), { force: true })
  },
})

/** Age of a draft in ms from which it is deleted: a crash has left it behind. */
const draftLifeMs = 3_600_000

async function removeOldDrafts(folder: string, now: number): Promise<void> {
  const oldestName = formatMailName(now - draftLifeMs, '')
  for (const file of await readdir(folder))
    if (file.endsWith('.part') && file < oldestName) await rm(join(folder, file), { force: true })
}

/** Returns the newest 100 mails, newest first. */
export async function listMail(dataDir: string): Promise<(StoredMail & { name: string })[]> {
  const names = (await listMailNames(getMailFolder(dataDir))).toReversed().slice(0, 100)
  const mails = await Promise.all(names.map(async (name) => ({ name, mail: await readMail(dataDir, name) })))
  return mails.flatMap(({ name, mail }) => (mail ? [{ name, ...mail }] : []))
}

/** Returns null if there is no such mail, or if its file is not valid JSON. */
export async function readMail(dataDir: string, name: string): Promise<StoredMail | null> {
  // The name comes from a URL, so it must not lead outside this folder.
  if (!/^[\w-]{1,80}$/.test(name)) return null
  const text = await readFile(join(getMailFolder(dataDir), `${name}.json`), 'utf8').catch(() => null)
  return text === null ? null : parseMail(text)
}

/** Returns null for an incomplete file, which earlier builds could leave after a power failure. It must not hide the other mails. */
function parseMail(text: string): StoredMail | null {
  try {
    return JSON.parse(text) as StoredMail
  } catch {
    return null
  }
}
