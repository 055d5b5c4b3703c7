import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/services/words.ts'
import { createSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/services/sheet.css?url'

/** The look of the pages of services. */
export const Sheet = createSheet(sheet, 'services')
