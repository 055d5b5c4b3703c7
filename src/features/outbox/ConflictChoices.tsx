import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Choice, Side } from '#features/outbox/conflict-fields.ts'
import type { FieldWords } from '#features/outbox/entry-messages.ts'

interface Props {
  words: FieldWords
  sides: Side[]
  chosen: Readonly<Record<string, Choice>>
  onChoose: (field: string, choice: Choice) => void
}

const choices = ['mine', 'theirs'] as const

/** A row for each field that both changed; native radios, so that arrows and Tab do what everybody knows. */
export function Choices({ words, sides, chosen, onChoose }: Props) {
  const { t } = useTranslation('outbox')
  return (
    <div className="choices">
      {/* Read with every choice; here for the eye only. */}
      <div className="choices-head" aria-hidden="true">
        <span>{t('compare.field')}</span>
        <span>{t('compare.was')}</span>
        <span>{t('compare.mine')}</span>
        <span>{t('compare.theirs')}</span>
      </div>
      {sides.map((side) => (
        <Row key={side.field} words={words} side={side} chosen={chosen[side.field]} onChoose={onChoose} />
      ))}
    </div>
  )
}

interface RowProps extends Pick<Props, 'words' | 'onChoose'> {
  side: Side
  chosen: Choice | undefined
}

function Row({ words, side, chosen, onChoose }: RowProps) {
  const { t } = useTranslation('outbox')
  const name = useId()
  const { field, was } = side
  return (
    <fieldset className="choice">
      <legend className="sr-only">{words.field(field)}</legend>
      <span className="choice-field" aria-hidden="true">
        {words.field(field)}
      </span>
      <span className="choice-was">
        <span className="choice-side">{t('compare.was')}</span>
        {was === undefined ? '–' : words.value(field, was)}
      </span>
      {choices.map((choice) => (
        <label key={choice} className="radio">
          <input
            type="radio"
            name={name}
            value={choice}
            checked={chosen === choice}
            onChange={() => onChoose(field, choice)}
          />
          <span>
            <span className="choice-side">{t(`compare.${choice}`)}</span>
            <span className="choice-value">{words.value(field, side[choice])}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
