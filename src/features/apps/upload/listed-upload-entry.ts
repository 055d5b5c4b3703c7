/** What the server's list says of an upload, as a change of the file on the page. No state of its own. */
import { createLocalProblem } from '#contract/problem.ts'
import { createMappFault } from '#domain/catalogue/mapp.ts'
import { type UploadEntry, isUnderWay, type ListedUpload, type PackageRow } from '#features/apps/upload/upload-entry.ts'

/** The file on the page that it is: by its id or, sent from elsewhere, by its bytes. */
export const findEntry = (entries: readonly UploadEntry[], { id, file }: ListedUpload): UploadEntry | undefined =>
  entries.find(({ uploadId, row }) => uploadId === id || (file !== null && row?.md5 === file.md5))

/** The server asks for a list of its own of what it was just sent: what is under way here knows better. */
export const isBeingSent = (entries: readonly UploadEntry[], { name, size, state }: ListedUpload): boolean =>
  state === 'receiving' &&
  entries.some((uploadEntry) => isUnderWay(uploadEntry) && uploadEntry.name === name && uploadEntry.size === size)

/** Null: nothing changes. `knownEntry`: undefined where it is new to the page. */
export function toEntryChanges(
  { id, received, state, fault, file }: ListedUpload,
  knownEntry?: UploadEntry,
): Partial<UploadEntry> | null {
  const uploadState = { uploadId: id, sentBytes: received }
  if (state === 'refused')
    return {
      ...uploadState,
      phase: 'refused',
      fault: createMappFault(fault?.code ?? 'DAMAGED', fault?.named),
      row: null,
    }
  if (!file) return !knownEntry || knownEntry.phase === 'partial' ? { ...uploadState, phase: 'partial' } : null
  if (knownEntry && wasFileChanged(knownEntry, file))
    return { ...uploadState, phase: 'failed', problem: createLocalProblem('UNREADABLE_FILE') }
  return { ...uploadState, phase: 'sent', row: file, isFromServer: true, fault: null, problem: null }
}

/** The bytes that were sent are not those that the page had read before. */
const wasFileChanged = ({ row, isFromServer }: UploadEntry, { md5 }: PackageRow): boolean =>
  row !== null && !isFromServer && row.md5 !== md5
