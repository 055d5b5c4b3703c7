/** Reads for the screens: live queries run these (`useLiveQuery(() => readList(...))`). */
import type { ReadList, ReadRow } from '#local/view.ts'

export declare const readList: ReadList
export declare const readRow: ReadRow
