import { splitSentence } from '#features/audit-trail/sentence/isolated-text.ts'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** Shows a sentence of `formatSentence`. Names are isolated and have their own language; everything is text, never markup. */
export const Sentence = ({ text }: { text: string }) =>
  splitSentence(text).map((part, index) =>
    part.isIsolated ? (
      // Parts have no identity of their own.
      <bdi key={index} lang={getNameLang(part.text)}>
        <TextWithDates text={part.text} />
      </bdi>
    ) : (
      <TextWithDates key={index} text={part.text} />
    ),
  )
