/** What the server's list says of an upload, as a change of the file on the page. No state of its own. */
import { localProblem } from '#contract/problem.ts'
import { faultOf } from '#domain/catalogue/mapp.ts'
import { type Entry, isUnderWay, type ListedUpload } from '#features/apps/upload/upload-entry.ts'

/** The file on the page that it is: by its id or, sent from elsewhere, by its bytes. */
export const knownOf = (entries: readonly Entry[], { id, file }: ListedUpload): Entry | undefined =>
  entries.find(({ uploadId, row }) => uploadId === id || (file !== null && row?.md5 === file.md5))

/** The server asks for a list of its own of what it was just sent: what is under way here knows better. */
export const isBeingSent = (entries: readonly Entry[], { name, size, state }: ListedUpload): boolean =>
  state === 'receiving' && entries.some((one) => isUnderWay(one) && one.name === name && one.size === size)

/** Null: nothing changes. `known`: undefined where it is new to the page. */
export function changeBy({ id, received, state, fault, file }: ListedUpload, known?: Entry): Partial<Entry> | null {
  const place = { uploadId: id, sent: received }
  if (state === 'refused')
    return { ...place, phase: 'refused', fault: faultOf(fault?.code ?? 'DAMAGED', fault?.named), row: null }
  // What was sent is not what was read before: the file was changed between.
  if (file && known?.row && !known.isServers && known.row.md5 !== file.md5)
    return { ...place, phase: 'failed', problem: localProblem('UNREADABLE_FILE') }
  if (file) return { ...place, phase: 'sent', row: file, isServers: true, fault: null, problem: null }
  return !known || known.phase === 'partial' ? { ...place, phase: 'partial' } : null
}
