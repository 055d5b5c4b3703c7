/** Converts an upload in the server's list to changes of its entry on the page. Has no state. */
import { createLocalProblem } from '#contract/problem.ts'
import { createMappFault } from '#domain/catalogue/mapp.ts'
import { type UploadEntry, isUnderWay, type ListedUpload, type PackageRow } from '#features/apps/upload/upload-entry.ts'

/** Finds the entry of a listed upload: by its id or, if it was sent from elsewhere, by the MD5 of its bytes. */
export const findEntry = (entries: readonly UploadEntry[], { id, file }: ListedUpload): UploadEntry | undefined =>
  entries.find(({ uploadId, row }) => uploadId === id || (file !== null && row?.md5 === file.md5))

/** Returns whether this page is sending the listed upload. Then the entry on the page is more current than the list. */
export const isBeingSent = (entries: readonly UploadEntry[], { name, size, state }: ListedUpload): boolean =>
  state === 'receiving' &&
  entries.some((uploadEntry) => isUnderWay(uploadEntry) && uploadEntry.name === name && uploadEntry.size === size)

/** Returns null if nothing changes. `knownEntry` is undefined if the upload is new to the page. */
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

const wasFileChanged = ({ row, isFromServer }: UploadEntry, { md5 }: PackageRow): boolean =>
  row !== null && !isFromServer && row.md5 !== md5
