import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/backups/words.ts'
import { createSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/backups/sheet.css?url'

/** The look of backups. */
export const Sheet = createSheet(sheet, 'backups')
