import { useId } from 'react'

/** Keeps the space of a company filter until its code is loaded, so that the other filters and the rows do not move. */
export function FilterSpace({ label }: { label: string }) {
  const id = useId()
  return (
    <div className="field filter-space">
      <label htmlFor={id}>{label}</label>
      <div className="combobox">
        <input id={id} className="input" disabled />
      </div>
    </div>
  )
}
