import { preload } from 'react-dom'
import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/services/words.ts'
import sheet from '#features/services/sheet.css?url'

// It comes beside the code, not once React draws the page and waits for it.
preload(sheet, { as: 'style' })

/** The look of the pages of services, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="services" />
