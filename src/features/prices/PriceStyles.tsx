import '#features/prices/words.ts'
import sheet from '#features/prices/sheet.css?url'

/** The look of the price lists' pages, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="prices" />
