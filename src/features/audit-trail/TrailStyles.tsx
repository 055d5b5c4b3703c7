import '#features/audit-trail/words.ts'
import sheet from '#features/audit-trail/sheet.css?url'

/** The look of the audit trail, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="audit-trail" />
