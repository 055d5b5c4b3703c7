/** Shifts the clock of a test server and of its child processes CLOCK_SHIFT_MS ahead. Loaded before the server. */
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
