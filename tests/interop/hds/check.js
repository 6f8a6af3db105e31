/* SPDX-License-Identifier: MIT
 * check.js - headpipe's HDS bytes against HAP-NodeJS, both ways. Usage: node check.js HEADPIPE SCRATCH_FOLDER
 *
 * 1. headpipe sends motion events by UDP; HAP-NodeJS reads them; the same samples come as JSON beside them.
 * 2. HAP-NodeJS writes values and messages, with its back-references; `headpipe hds decode` reads them. */
"use strict";
const { spawn, spawnSync } = require("child_process");
const dgram = require("dgram");
const fs = require("fs");
const path = require("path");
const hap = require("@homebridge/hap-nodejs/dist/lib/datastream/DataStreamParser.js");

const [headpipe, scratch] = process.argv.slice(2);
const SAMPLES = 300;
let failures = 0;

function expect(ok, what) {
	if (ok)
		return;
	failures++;
	if (failures < 20)
		console.log("wrong: " + what);
}

/* ---- 1: headpipe writes, HAP-NodeJS reads ---- */

function readMessage(buffer) {
	const size = buffer[0];
	const header = new hap.DataStreamReader(buffer.subarray(1, 1 + size));
	const body = new hap.DataStreamReader(buffer.subarray(1 + size));
	const message = { header: hap.DataStreamParser.decode(header), body: hap.DataStreamParser.decode(body) };
	expect(header.readerIndex === size, "the header is not used up");
	expect(body.readerIndex === buffer.length - 1 - size, "the body is not used up");
	return message;
}

function bind(list) {
	return new Promise((done, bad) => {
		const socket = dgram.createSocket("udp4");
		socket.on("message", (data) => list.push(data));
		socket.on("error", bad);
		socket.bind(0, "127.0.0.1", () => done(socket));
	});
}

const close = (a, b) => Math.abs(a - b) <= 1e-8 * Math.max(1, Math.abs(b));
const list = (a, b) => Array.isArray(a) && a.length === b.length && a.every((v, i) => close(v, b[i]));

async function motion() {
	const hds = [], json = [];
	const sockets = [await bind(hds), await bind(json)];
	const ini = path.join(scratch, "hds.ini");
	fs.writeFileSync(ini, `[input head]
use = synth
rate = 250
speed = 1
count = ${SAMPLES}
[output hds]
use = udp
to = 127.0.0.1:${sockets[0].address().port}
encoding = hds
[output json]
use = json_udp
to = 127.0.0.1:${sockets[1].address().port}
`);
	const child = spawn(headpipe, ["run", ini], { stdio: ["ignore", "inherit", "inherit"] });
	const code = await new Promise((done) => child.on("exit", done));
	for (let i = 0; i < 100 && (hds.length < SAMPLES || json.length < SAMPLES); i++)
		await new Promise((done) => setTimeout(done, 20));
	sockets.forEach((s) => s.close());
	expect(code === 0, "headpipe run ended with " + code);
	expect(hds.length === SAMPLES && json.length === SAMPLES, `${hds.length} and ${json.length} datagrams`);
	let good = 0;
	for (let i = 0; i < Math.min(hds.length, json.length); i++) {
		const { header, body } = readMessage(hds[i]), other = JSON.parse(json[i]), before = failures;
		expect(header.protocol === "motion" && header.event === "sample", "header " + JSON.stringify(header));
		expect(Object.keys(body).join() === "seq,t_ns,q,ypr,gyro,resets", "fields " + Object.keys(body));
		expect(body.seq === i && body.t_ns === i * 4000000, `seq ${body.seq}, t_ns ${body.t_ns} of sample ${i}`);
		expect(list(body.q, other.quaternion), `q ${body.q} for ${other.quaternion}`);
		expect(list(body.gyro, other.gyroscope), `gyro ${body.gyro} for ${other.gyroscope}`);
		expect(body.ypr.every((v, k) => Math.abs(v - other.yprDegrees[k]) < 1e-3), "ypr " + body.ypr);
		expect(body.resets === other.resetCounter, "resets " + body.resets);
		good += failures === before;
	}
	console.log(`count: hds events read by HAP-NodeJS ${good}/${SAMPLES}`);
}

/* ---- 2: HAP-NodeJS writes, headpipe reads ---- */

let seed = 12345;
function random(n) {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return Math.floor((seed / 4294967296) * n);
}

const texts = ["", "a", "yaw", "é€😀", "x".repeat(31), "ü".repeat(16), "y".repeat(33), "z".repeat(300)];
const numbers = [0, -1, 1, 38, 39, 40, -2, 127, 128, -129, 32767, 32768, -32769, 2147483647, 2147483648, 4294967295, 1.5, -0.25,
		 1e300, NaN, Infinity];

function value(depth) {
	switch (random(depth > 0 ? 13 : 10)) {
	case 0: return null;
	case 1: return random(2) === 1;
	case 2: return numbers[random(numbers.length)];
	case 3: return texts[random(texts.length)];
	case 4: return Buffer.from(Array.from({ length: [0, 1, 32, 33, 300][random(5)] }, () => random(256)));
	case 5: return new hap.Float64([1.5, 0, NaN, 2][random(4)]);
	case 6: return new hap.Float32([0.5, 3, -7][random(3)]);
	case 7: return [new hap.Int8(random(256) - 128), new hap.Int16(random(600) - 300), new hap.Int32(random(9) - 4)][random(3)];
	case 8: return new hap.SecondsSince2001(random(1000000000) + 0.5);
	case 9: return new hap.UUID("f9be559a-976a-4fa7-844b-2ab1d1d4094" + random(10));
	case 10: return Array.from({ length: random(random(8) ? 4 : 17) }, () => value(depth - 1));
	default: {
		const o = {};
		for (let n = random(random(8) ? 5 : 17); n > 0; n--)
			o["k" + random(30)] = value(depth - 1);
		return o;
	}
	}
}

/* What headpipe's typed JSON must hold for a value of JavaScript. */
function same(typed, v) {
	const number = (t) => (typeof t.v === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[t.v] : t.v);
	const integer = (t, n) => /^int/.test(t.t) && t.v === String(n === 0 ? 0 : n);
	if (v === null)
		return typed.t === "null";
	if (typeof v === "boolean")
		return typed.t === "bool" && typed.v === v;
	if (typeof v === "number")
		return Number.isInteger(v) && Math.abs(v) < 2 ** 53 ? integer(typed, v) : typed.t === "f64" && Object.is(number(typed), v);
	if (typeof v === "string")
		return typed.t === "str" && typed.v === v;
	if (Buffer.isBuffer(v))
		return typed.t === "data" && typed.hex === v.toString("hex");
	if (v instanceof hap.Float64 || v instanceof hap.Float32)
		return typed.t === (v instanceof hap.Float64 ? "f64" : "f32") && Object.is(number(typed), v.value);
	if (v instanceof hap.SecondsSince2001)
		return typed.t === "date" && typed.v === v.value;
	if (v instanceof hap.UUID)
		return typed.t === "uuid" && typed.v === v.value;
	if (v instanceof hap.ValueWrapper)
		return integer(typed, v.value);
	if (Array.isArray(v))
		return typed.t === "array" && typed.v.length === v.length && v.every((item, i) => same(typed.v[i], item));
	const entries = Object.entries(v);
	return typed.t === "dict" && typed.v.length === entries.length &&
	       entries.every(([key, item], i) => same(typed.v[i][0], key) && same(typed.v[i][1], item));
}

function write(v) {
	const writer = new hap.DataStreamWriter();
	hap.DataStreamParser.encode(v, writer);
	return writer.getData();
}

function decode(bytes, ...options) {
	const file = path.join(scratch, "hds.bin");
	fs.writeFileSync(file, bytes);
	const run = spawnSync(headpipe, ["hds", "decode", file, "--json", ...options], { encoding: "utf8" });
	return run.status === 0 ? JSON.parse(run.stdout) : { t: "error", why: run.stderr };
}

function values() {
	const fixed = [
		Array.from({ length: 60 }, (_, i) => "s" + i).concat("s0", "s32", "s47", "s48", "s59"),
		{ a: true, b: "b", c: "b", d: Buffer.from([1, 2]), e: Buffer.from([1, 2]), f: "x1", g: "x1" },
		[NaN, NaN, "p", "p"].map((v) => (typeof v === "number" ? new hap.Float64(v) : v)),
	];
	const total = 250;
	let good = 0, references = 0;
	for (let i = 0; i < total; i++) {
		const v = fixed[i] || value(4), bytes = write(v), typed = decode(bytes, "--value");
		const ok = same(typed, v);
		expect(ok, `${bytes.toString("hex").slice(0, 400)}: ${JSON.stringify(typed).slice(0, 400)}`);
		good += ok;
		references += JSON.stringify(typed).split('"ref":true').length - 1;
	}
	expect(references > 50, `only ${references} back-references were met`);
	console.log(`count: hds values of HAP-NodeJS ${good}/${total}, with ${references} back-references`);

	const total2 = 40;
	let good2 = 0;
	for (let i = 0; i < total2; i++) {
		/* the event's name once more as the protocol: a reference inside the header */
		const header = i % 3 === 0 ? { protocol: "dataSend", event: "dataSend" } :
			       i % 3 === 1 ? { protocol: "control", request: "hello", id: i } :
					     { protocol: "p" + i, response: "open", id: i, status: i % 7 };
		const body = Object.assign({ again: "dataSend" }, { v: value(3) });
		const h = write(header), typed = decode(Buffer.concat([Buffer.from([h.length]), h, write(body)]), "--message");
		const ok = typed.t === "message" && header[typed.kind] === typed.topic && typed.protocol === header.protocol &&
			   same(typed.header, header) && same(typed.body, body);
		expect(ok, JSON.stringify(typed).slice(0, 400));
		good2 += ok;
	}
	console.log(`count: hds messages of HAP-NodeJS ${good2}/${total2}`);
}

(async () => {
	await motion();
	values();
	console.log(failures ? `${failures} differences from HAP-NodeJS` : "HDS: headpipe and HAP-NodeJS understand each other");
	process.exit(failures ? 1 : 0);
})();
