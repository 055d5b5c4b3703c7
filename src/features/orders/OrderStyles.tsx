import '#ui/icons/order-icons.ts'
import '#features/orders/words.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/orders/sheet.css?url'

export const OrderStyles = createStyleSheet(sheet, 'orders')
