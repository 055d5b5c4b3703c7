import { useId } from 'react'

interface Props<V extends string | number> {
  label: string
  name: string
  /** `whyNot`: why one cannot be chosen, in words; it stands inside the choice, where everybody looks. */
  choices: readonly { value: V; label: string; whyNot: string | null }[]
  chosen: V | null
  onChoose: (value: V) => void
}

/** A few choices that are all seen, also those that cannot be taken. */
export function BlockedChoices<V extends string | number>({ label, name, choices, chosen, onChoose }: Props<V>) {
  const id = useId()
  return (
    <fieldset className="radios backup-choices">
      <legend>{label}</legend>
      <div className="radio-row">
        {choices.map(({ value, label: words, whyNot }) => (
          <label key={value} className={`radio${whyNot ? ' blocked' : ''}`}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === chosen}
              disabled={whyNot !== null}
              aria-describedby={whyNot ? `${id}-${value}` : undefined}
              onChange={() => onChoose(value)}
            />
            <span>
              {words}
              {whyNot && (
                <span className="field-help" id={`${id}-${value}`}>
                  {whyNot}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
