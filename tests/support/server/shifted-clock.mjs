/** Loaded before a server of a test: its clock, and those of all that it starts, go CLOCK_SHIFT_MS ahead of the machine's. */
const shift = Number(process.env.CLOCK_SHIFT_MS)
const MachineDate = Date

globalThis.Date = class extends MachineDate {
  constructor(...dateArguments) {
    if (dateArguments.length === 0) super(MachineDate.now() + shift)
    else super(...dateArguments)
  }
  static now() {
    return MachineDate.now() + shift
  }
}
