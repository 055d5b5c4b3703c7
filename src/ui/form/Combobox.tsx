import { type KeyboardEvent, type Ref, useEffect, useId, useState } from 'react'
import { FieldFrame, type Labelled } from '#ui/form/Field.tsx'
import { langOf } from '#ui/i18n/name-language.ts'

export interface Choice {
  id: number
  label: string
  /** Beside the label, quietly. */
  detail?: string
}

interface Props extends Labelled {
  name: string
  /** What is chosen, in words; empty: nothing. */
  value: string
  /** What nothing chosen means. */
  placeholder?: string | undefined
  /** What fits the text that was searched for last. */
  choices: readonly Choice[]
  /** What is to be known of the choices: that there are none, that they are not all. */
  note: string | null
  onSearch: (text: string) => void
  /** Null: what was chosen is taken away. */
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/**
 * A field that offers what fits while one types. Arrows, Enter and Escape as in every combobox; the option that they have
 * reached is named to readers, which PrimeReact's AutoComplete does not do (docs/decisions/0045). Left empty it chooses nothing.
 */
export function Combobox({ name, value, placeholder, choices, note, onSearch, onChoose, ref, ...frame }: Props) {
  const listId = useId()
  const [open, setOpen] = useState(false)
  // Null: nothing is typed, and what is chosen stands there.
  const [typed, setTyped] = useState<string | null>(null)
  const [at, setAt] = useState(-1)
  const active = open ? choices[at] : undefined
  const activeId = active && `${listId}-${active.id}`
  useEffect(() => {
    // A simulated DOM does not scroll.
    if (activeId) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
  }, [activeId])
  const show = (text: string) => {
    setOpen(true)
    // An empty field is about to choose nothing, not the first of all.
    setAt(text.trim() === '' ? -1 : 0)
    onSearch(text)
  }
  const close = () => {
    setOpen(false)
    setTyped(null)
  }
  const choose = ({ id }: Choice) => {
    close()
    onChoose(id)
  }
  const leave = () => {
    if (typed?.trim() === '' && value !== '') onChoose(null)
    close()
  }
  const step = (by: number) => {
    if (!open) return show('')
    const count = choices.length
    if (count > 0) setAt((now) => (now < 0 && by < 0 ? count - 1 : (now + by + count) % count))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'Enter' && open) {
      if (active) choose(active)
      else leave()
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation()
      close()
    } else return
    event.preventDefault()
  }
  return (
    <FieldFrame {...frame}>
      {(described) => (
        <div className="combobox">
          <input
            {...described}
            ref={ref}
            className="input"
            type="text"
            name={name}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={open && choices.length > 0}
            aria-controls={listId}
            aria-activedescendant={activeId}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed ?? value}
            placeholder={placeholder}
            onFocus={({ target }) => target.select()}
            onChange={({ target }) => {
              setTyped(target.value)
              show(target.value)
            }}
            onKeyDown={onKeyDown}
            onBlur={leave}
          />
          <div className="combobox-list" hidden={!open || (choices.length === 0 && note === null)}>
            <div role="listbox" id={listId} aria-label={frame.label} hidden={choices.length === 0}>
              {open &&
                choices.map((choice, n) => (
                  // biome-ignore lint: the keys are the field's, which keeps the focus
                  <div
                    key={choice.id}
                    id={`${listId}-${choice.id}`}
                    role="option"
                    aria-selected={n === at}
                    className="combobox-option"
                    onPointerDown={(event) => event.preventDefault()}
                    onClick={() => choose(choice)}
                  >
                    <span lang={langOf(choice.label)}>{choice.label}</span>{' '}
                    {choice.detail && <span className="combobox-detail">{choice.detail}</span>}
                  </div>
                ))}
            </div>
            <p className="combobox-note" role="status">
              {open && note}
            </p>
          </div>
        </div>
      )}
    </FieldFrame>
  )
}
