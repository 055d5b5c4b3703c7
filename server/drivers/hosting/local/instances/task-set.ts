/** The tasks of an instance by number. While a task is replaced, its successor runs beside it under the same number. */
import type { InstanceTask } from '#server/drivers/hosting/local/instances/task.ts'

export class TaskSet {
  readonly #tasks = new Map<number, InstanceTask>()
  readonly #successors = new Map<number, InstanceTask>()
  /** Tasks that are ending because a successor has their number now. */
  readonly #leavingTasks = new Set<InstanceTask>()

  get(number: number): InstanceTask | undefined {
    return this.#tasks.get(number)
  }

  getSuccessor(number: number): InstanceTask | undefined {
    return this.#successors.get(number)
  }

  /** Returns the task of each number, without successors. */
  list(): readonly InstanceTask[] {
    return [...this.#tasks.values()].toSorted((a, b) => a.record.number - b.record.number)
  }

  listSuccessors(): readonly InstanceTask[] {
    return [...this.#successors.values()]
  }

  /** Returns all tasks whose processes may run. */
  listAll(): readonly InstanceTask[] {
    return [...this.list(), ...this.#successors.values(), ...this.#leavingTasks]
  }

  /** Adds a task. If its number is in use, the one that was started later is the successor. */
  add(task: InstanceTask): void {
    const { number } = task.record
    const sameNumber = [task, this.#tasks.get(number), this.#successors.get(number)]
      .filter((candidate) => candidate !== undefined)
      .toSorted((a, b) => a.record.active - b.record.active || a.record.since - b.record.since)
    const [current, successor] = sameNumber.slice(-2)
    if (current) this.#tasks.set(number, current)
    if (successor) this.#successors.set(number, successor)
    for (const surplusTask of sameNumber.slice(0, -2)) void this.#leave(surplusTask)
  }

  /** Gives the number to the successor, and ends the present task. Resolves when that one has ended. */
  async promote(number: number, onPromoted: () => void): Promise<void> {
    const task = this.#tasks.get(number)
    const successor = this.#successors.get(number)
    if (!task || !successor) return
    this.#successors.delete(number)
    this.#tasks.set(number, successor)
    const leaving = this.#leave(task)
    onPromoted()
    await leaving
  }

  /** Removes an ended task. A successor then gets its number. */
  delete(task: InstanceTask): void {
    const { number } = task.record
    this.#leavingTasks.delete(task)
    if (this.#successors.get(number) === task) this.#successors.delete(number)
    if (this.#tasks.get(number) !== task) return
    const successor = this.#successors.get(number)
    this.#successors.delete(number)
    if (successor) this.#tasks.set(number, successor)
    else this.#tasks.delete(number)
  }

  #leave(task: InstanceTask): Promise<void> {
    this.#leavingTasks.add(task)
    return task.remove('replaced')
  }
}
