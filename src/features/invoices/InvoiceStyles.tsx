import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/invoices/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/invoices/sheet.css?url'

export const InvoiceStyles = createStyleSheet(styleUrl, 'invoices')
