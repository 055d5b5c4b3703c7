import { preload } from 'react-dom'
import '#features/audit-trail/words.ts'
import sheet from '#features/audit-trail/sheet.css?url'

// It comes beside the code, not once React draws the page and waits for it.
preload(sheet, { as: 'style' })

/** The look of the audit trail, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="audit-trail" />
