import { preload } from 'react-dom'
import '#ui/icons/order-icons.ts'
import '#features/orders/words.ts'
import sheet from '#features/orders/sheet.css?url'

// It comes beside the code, not once React draws the page and waits for it.
preload(sheet, { as: 'style' })

/**
 * The look of the order pages, which is not in the sheet that every device keeps (docs/decisions/0036). React puts it into
 * the head once, and shows nothing that stands beside it before it is here.
 */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="orders" />
