import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Choice, Side } from '#features/outbox/conflict-fields.ts'
import type { ChangeLines } from '#features/outbox/change-lines.ts'

interface Props {
  lines: ChangeLines
  sides: Side[]
  chosen: Readonly<Record<string, Choice>>
  onChoose: (field: string, choice: Choice) => void
}

const choices = ['mine', 'theirs'] as const

/** A row for each field that both changed; native radios, so that arrows and Tab do what everybody knows. */
export function Choices({ lines, sides, chosen, onChoose }: Props) {
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
        <Row key={side.field} lines={lines} side={side} chosen={chosen[side.field]} onChoose={onChoose} />
      ))}
    </div>
  )
}

interface RowProps extends Pick<Props, 'lines' | 'onChoose'> {
  side: Side
  chosen: Choice | undefined
}

function Row({ lines, side, chosen, onChoose }: RowProps) {
  const { t } = useTranslation('outbox')
  const name = useId()
  const { field } = side
  const texts = lines.sides(side)
  return (
    <fieldset className="choice">
      <legend className="sr-only">{lines.label(field)}</legend>
      <span className="choice-field" aria-hidden="true">
        {lines.label(field)}
      </span>
      <span className="choice-was">
        <span className="choice-side">{t('compare.was')}</span>
        <Lines texts={texts.was.length === 0 ? ['–'] : texts.was} />
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
            <span className="choice-value">
              <Lines texts={texts[choice]} />
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

const Lines = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text) => (
    <span key={text} className="choice-line">
      {text}
    </span>
  ))
