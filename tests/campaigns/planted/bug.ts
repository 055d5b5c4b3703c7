/**
 * A fault that the product had and that was fixed, as one replacement that brings it back. A test checks that `from` occurs once in `file`, so
 * that no bug remains after its code has changed.
 */
export interface PlantedBug {
  /** Short, unique and in kebab case. */
  name: string
  /** What happened to users or operators, with the number of the fault if it has one. */
  fault: string
  file: string
  from: string
  to: string
  /** Project of vitest that runs `tests`. */
  project: 'device' | 'dom' | 'node' | 'page' | 'parts'
  /** Test files of `npm test`. One of their tests must fail. */
  tests: readonly string[]
}
