import { preload } from 'react-dom'
import '#features/prices/words.ts'
import sheet from '#features/prices/sheet.css?url'

// It comes beside the code, not once React draws the page and waits for it.
preload(sheet, { as: 'style' })

/** The look of the price lists' pages, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="prices" />
